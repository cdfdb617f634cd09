"""The scorer points the sensible way, whatever its weights; the prior follows the length of the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.engines.local.scorer import LONGEST, SIGNS, Signals, answer_prior, load_scorer

_ODDS = st.floats(-6, 6)
_SHARE = st.floats(0, 1)
_SIGNALS = st.builds(Signals, *[_ODDS] * 5, *[_SHARE] * 4)


@given(_SIGNALS, st.sampled_from(list(SIGNS)), st.floats(0, 1))
def test_more_support_never_lowers_the_score_and_more_doubt_never_raises_it(
    signals: Signals, name: str, step: float
) -> None:
    scorer = load_scorer()
    moved = signals._replace(**{name: getattr(signals, name) + step})
    assert SIGNS[name] * (scorer(moved) - scorer(signals)) >= -1e-12


@given(_SIGNALS)
def test_a_long_answer_gives_each_of_its_segments_the_benefit_of_the_doubt(signals: Signals) -> None:
    scorer = load_scorer()
    scores = [scorer(signals, count) for count in range(1, LONGEST + 1)]
    assert scores == sorted(scores)
    assert scorer(signals, 200) == scores[-1]  # padding beyond LONGEST buys nothing


def test_the_prior_makes_half_of_all_answers_right_whatever_their_length() -> None:
    import math

    for count in range(1, LONGEST + 1):
        right = 1 / (1 + math.exp(-answer_prior(count)))
        assert right**count == pytest.approx(0.5)
