import importlib.util
from pathlib import Path

import numpy as np
import pytest

from guardrail.evaluation.intervals import wilson
from guardrail.evaluation.stratified import allocate, share


@pytest.mark.parametrize(("hits", "labels"), [(0, 20), (1, 20), (10, 20), (20, 20), (3, 7)])
def test_with_one_stratum_it_is_wilsons(hits, labels):
    found = share([hits], [labels], [10**12])
    assert [float(one) for one in found] == pytest.approx([hits / labels, *wilson(hits, labels)], abs=1e-6)


def test_the_share_weighs_strata_by_their_size():
    rate, low, high = share([9, 1], [10, 20], [100, 900])
    assert float(rate) == pytest.approx(0.1 * 0.9 + 0.9 * 0.05)
    assert 0.05 < low < rate < high < 0.35


def test_a_stratum_that_is_labelled_whole_leaves_no_doubt():
    rate, low, high = share([7, 2], [10, 90], [10, 90])
    assert [float(low), float(high)] == pytest.approx([float(rate)] * 2, abs=1e-3)
    assert share([1, 0], [1, 1], [1, 1])[2] == pytest.approx(0.5, abs=1e-3)


def test_few_labels_that_agree_are_not_taken_for_certainty():
    _, low, high = share([30, 0], [30, 15], [300, 9700])
    assert low < 0.031
    assert high > 0.03 + 0.97 * 3 / 15 * 0.9  # near what no hit in fifteen allows by itself


def test_symmetry_of_hits_and_misses():
    rate, low, high = share([3, 11], [20, 30], [400, 700])
    other, least, most = share([17, 19], [20, 30], [400, 700])
    assert [float(other), float(least), float(most)] == pytest.approx([1 - rate, 1 - high, 1 - low], abs=1e-6)


def test_many_samples_at_once():
    hits = np.array([[0, 1], [3, 4], [10, 0]])
    together = share(hits, [10, 20], [100, 900])
    for n, row in enumerate(hits):
        assert [float(one[n]) for one in together] == pytest.approx(
            [float(one) for one in share(row, [10, 20], [100, 900])]
        )


@pytest.mark.parametrize("given", [([1], [0], [5]), ([2], [1], [5]), ([1], [6], [5]), ([-1], [2], [5])])
def test_what_makes_no_sense_is_refused(given):
    with pytest.raises(ValueError, match="0 <= hits <= labelled <= size"):
        share(*given)


def test_labels_go_where_strata_are_large_and_vary():
    few, unsure, sure = allocate([10, 1000, 50_000], [0.9, 0.5, 0.02], 120)
    assert few == 10
    assert few + unsure + sure == 120
    assert sure > unsure >= 20  # the floor: half of equal parts
    assert allocate([1000, 1000], [0.5, 0.01], 100)[0] > 60
    assert allocate([3, 2], [0.5, 0.5], 100) == [3, 2]
    with pytest.raises(ValueError, match="2 strata"):
        allocate([3, 2], [0.5, 0.5], 1)


def benchmark():
    path = Path(__file__).parents[2] / "benchmarks" / "audit_rate.py"
    spec = importlib.util.spec_from_file_location("audit_rate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Fixed seeds; 300 audits of each of twelve kinds. benchmarks/audit_rate.py has more of both."""
    simulated, random, every = benchmark(), np.random.default_rng(3), []
    for rate in (0.03, 0.1, 0.3):
        for engine in ("good", "poor", "blind", "fair, lenient"):
            bad, scores = simulated.population(random, 20_000, rate, engine)
            held, above, width = simulated.coverage(random, 300, bad, scores, 200)
            assert 0.90 <= held <= 1.0, (rate, engine)
            assert above <= 0.06, (rate, engine)
            assert width < 0.16
            every.append(held)
    assert 0.93 <= np.mean(every) <= 0.975
