"""Elementary pairs: balanced labels, wording that does not give them away, folds by frame."""

from __future__ import annotations

import random
from functools import cache
from itertools import islice

from guardrail.text.words import Overlap, content_words
from training.elementary import elementary_pairs
from training.pairs import SUPPORTED, held_out

COUNT = 1500


@cache
def drawn(seed=3, *, held=False):
    return list(elementary_pairs(random.Random(seed), COUNT, held=held))


def test_half_of_the_pairs_are_supported_and_a_seed_gives_the_same_ones():
    pairs = drawn()
    assert len(pairs) == COUNT
    assert 0.45 < sum(p.label == SUPPORTED for p in pairs) / COUNT < 0.55
    assert pairs[:500] == list(islice(elementary_pairs(random.Random(3), COUNT), 500))
    assert all(p.premise.strip() and p.claim.strip() for p in pairs)


def test_word_overlap_does_not_tell_the_label():
    """A reader that learned the wording instead of the reading would gain here, and lose on real answers."""
    cover = [(Overlap([content_words(p.premise)]).coverage(content_words(p.claim), [0]), p.label) for p in drawn()]
    right = [c for c, label in cover if label == SUPPORTED]
    wrong = [c for c, label in cover if label != SUPPORTED]
    wins = sum((r > w) + (r == w) / 2 for r in right for w in wrong)
    assert 0.45 < wins / (len(right) * len(wrong)) < 0.55


def test_frames_of_one_fold_are_never_in_the_other():
    trained, kept = ({p.group for p in drawn(held=fold)} for fold in (False, True))
    assert not trained & kept
    assert all(held_out(group) for group in kept)
