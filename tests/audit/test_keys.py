import numpy as np

from guardrail.audit.keys import KeySet, hashed


def test_a_key_is_new_once_however_many_there_are():
    numbers = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, 30_000).tolist()
    seen = KeySet()
    assert all(seen.add(n) for n in numbers)
    assert not any(seen.add(n) for n in numbers)
    assert len(seen) == len(set(numbers))
    assert 2**62 + 1 not in seen


def test_keys_of_before_are_in_it():
    seen = KeySet([np.array([5, 3, 3, -7]), np.array([3, 9])])
    assert [n in seen for n in (-7, 3, 5, 9, 4)] == [True, True, True, True, False]
    assert len(seen) == 4


def test_a_hash_is_that_of_every_process_and_takes_lone_surrogates():
    assert hashed("a1") == hashed("a1") != hashed("a2")
    assert hashed("\ud800") != hashed("?")
