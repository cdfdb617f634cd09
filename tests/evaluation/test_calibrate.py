"""The steps from judged answers to a calibrated policy: what they count, refuse and say."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from guardrail import Policy, UsageError
from guardrail.evaluation.calibrate import (
    base_fields,
    calibration,
    choose_for,
    cost_line,
    counts,
    lost,
    noun,
    refuse_too_few,
    rules,
    summary,
)
from guardrail.evaluation.cases import Shared
from guardrail.evaluation.conformal import Risk
from guardrail.testing import FakeEngine
from tests.support.judged_rows import A, C, N, S, U, row

RIGHT = [row(S, S, 0.9) for _ in range(6)]
WRONG = [row(U, U if n % 2 else C, 0.1 + n / 100) for n in range(20)]


def test_answers_are_judged_at_threshold_zero_within_the_policys_deadline() -> None:
    start = Policy.strict().with_(deadline=2.5, threshold=0.9)
    assert (rules(start).threshold, rules(start).deadline) == (0.0, 2.5)


def test_a_policy_file_keeps_all_but_what_a_calibration_sets() -> None:
    fields = {"preset": "strict", "threshold": 0.9, "calibration": {"n": 3}, "style": "plain"}
    assert base_fields(fields) == {"preset": "strict", "style": "plain"}
    assert fields["threshold"] == 0.9


def test_claims_and_answers_are_told_apart_and_not_mixed() -> None:
    answer, claim = row(S, S).answer, row(S, S, claim=True).answer
    assert (noun([answer, answer]), noun([claim])) == ("answer", "claim")
    with pytest.raises(UsageError, match="2 claims and 1 whole answers"):
        noun([claim, answer, claim])


def test_labels_that_are_too_few_for_a_perfect_guard_are_refused_before_the_work() -> None:
    labelled = [one.answer for one in [*RIGHT, *WRONG[:8]]]
    with pytest.raises(UsageError, match=r"8 wrong answers are too few .* at least 19 are needed"):
        refuse_too_few(labelled, range(len(labelled)), Risk.MISSED, 0.05, None)
    refuse_too_few(labelled, range(len(labelled)), Risk.MISSED, 0.2, None)


def test_answers_of_which_most_were_not_judged_have_no_threshold() -> None:
    unread = [row(U, N) for _ in range(9)]
    with pytest.raises(UsageError, match="could not judge 9 of 17"):
        choose_for([*unread, *WRONG[:8]], range(17), Risk.MISSED, 0.3, None)
    choice = choose_for([*unread, *WRONG[:9]], range(18), Risk.MISSED, 0.3, None)
    assert choice.n == 18


def test_the_summary_counts_by_label_and_says_what_the_threshold_costs() -> None:
    judged = [*RIGHT, *WRONG, row(A, A), row(S, N), row(U, A)]
    assert counts(judged) == {
        "answers": 29, "right": 7, "wrong": 21, "declines": 1, "unverified": 1, "taken_for_declines": 1,
    }  # fmt: skip
    choice = choose_for(judged, range(len(judged)), Risk.MISSED, 0.3, None)
    said = summary(choice, judged)
    assert said["observed_risk"] <= 0.3
    assert said["cost"] == round(1 / 7, 4)  # the right one that was not judged
    assert said["costly"] is False


def test_what_is_lost_is_said_in_words() -> None:
    assert lost("false-alarm", "claim") == "wrong claims delivered as supported"
    assert lost("missed", "answer") == "right answers flagged"
    assert cost_line(0.125, "missed", "answer") == "right answers flagged: 12.5% (an estimate)"
    assert cost_line(None, "missed", "answer") == "right answers flagged: unknown: the data hold none"


def test_the_file_says_which_data_and_engine_the_threshold_is_of(tmp_path: Path) -> None:
    data = tmp_path / "labelled.jsonl"
    data.write_text("{}\n")
    choice = choose_for(WRONG, range(20), Risk.MISSED, 0.2, 0.1)
    engine = FakeEngine(name="mine")
    found = calibration(choice, data, engine, "answer", deadline=None, shared=Shared.PASSAGE, date="2026-01-05")
    assert found.data == hashlib.sha256(b"{}\n").hexdigest()
    assert found.engine.startswith("mine rag-guardrail-")
    assert (found.n, found.risk, found.target, found.delta) == (20, "missed", 0.2, 0.1)
    assert (found.threshold, found.date) == (choice.threshold, "2026-01-05")
    assert "with probability 0.9" in found.guarantee
