"""The band of a cascade: cheapest for the wanted error, chosen on one half, measured on the other."""

import pytest

from guardrail.evaluation.band import LocalAnswer, choose_band

SURE = [(True, 0.95), (False, 0.05)]
UNSURE = [(True, 0.45), (False, 0.6), (True, 0.6), (False, 0.4)]


def answers(kinds: list[tuple[bool, float]], times: int = 20) -> list[LocalAnswer]:
    pairs = [kind for kind in kinds for _ in range(times)]
    return [LocalAnswer(supported=right, scores=(score, 0.99), case=n) for n, (right, score) in enumerate(pairs)]


def test_only_what_is_unsure_is_asked() -> None:
    """Half of the answers is sure (0.4 is wrong and flagged); the others take a call each, and nothing is wrong."""
    band = choose_band(answers([*SURE, *UNSURE]), 0.0)
    assert (band.reached, band.low, band.high) == (True, 0.45, 0.6)
    assert band.held_out.error == 0.0
    assert band.held_out.calls == pytest.approx(3 / 6, abs=0.1)


def test_a_looser_target_is_cheaper() -> None:
    strict, loose = (choose_band(answers([*SURE, *UNSURE]), target) for target in (0.0, 0.2))
    assert loose.held_out.calls < strict.held_out.calls
    assert loose.chosen_on.error <= 0.2


def test_a_judge_that_errs_may_make_the_target_unreachable() -> None:
    band = choose_band(answers(UNSURE), 0.01, judge_error=0.1)
    assert not band.reached
    assert band.chosen_on.error == pytest.approx(0.075, abs=0.01)  # the sure fourth is right


def test_what_was_not_verified_goes_to_the_judge() -> None:
    unread = [LocalAnswer(supported=True, scores=(None,), case=n) for n in range(4)]
    assert choose_band(unread, 0.1).held_out.calls == 1.0


def test_few_cases_are_told_by_a_wide_interval() -> None:
    few, many = (choose_band(answers(SURE, times), 0.05).held_out for times in (2, 100))
    assert few.error == many.error == 0.0
    assert few.error_to > 0.3 > 0.05 > many.error_to


def test_answers_of_one_case_stay_on_one_side() -> None:
    alike = [LocalAnswer(supported=True, scores=(0.9,), case=n // 5) for n in range(20)]
    band = choose_band(alike, 0.1)
    assert (band.chosen_on.cases, band.held_out.cases) == (2, 2)
    with pytest.raises(ValueError, match="two cases"):
        choose_band(alike[:5], 0.1)


def test_right_and_wrong_cases_that_take_turns_are_on_both_sides() -> None:
    taking_turns = [
        LocalAnswer(supported=n % 2 == 0, scores=(0.95 if n % 2 == 0 else 0.05,), case=n) for n in range(24)
    ]
    band = choose_band(taking_turns, 0.05)
    assert band.reached
    assert (band.chosen_on.error, band.held_out.error) == (0.0, 0.0)
