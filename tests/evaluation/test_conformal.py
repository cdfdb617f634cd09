"""Thresholds with a guarantee: the guarantee itself by simulation, monotonicity, and what is refused."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guardrail import Finding, Report, Span, UsageError, Verdict
from guardrail.check.entities import Mix
from guardrail.check.scores import answer_score, answer_verdict
from guardrail.evaluation.conformal import Outcome, Risk, choose, holds, needed, outcome, perfect_outcome
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.types import Cell, Entity, LogicVerdict, Passage, Row, Segment
from tests.support.verified import judge


def draw(rng, n, *, ties=False, per_group=1):
    """Exchangeable outcomes: wrong ones score lower, 3 % are never and 2 % always delivered."""
    groups = np.repeat(np.arange(n), per_group)
    skill = rng.normal(0, 0.7, n)[groups]  # shared inside a group: its answers are not independent
    wrong = rng.random(groups.size) < 0.4
    limits = 1 / (1 + np.exp(-(rng.normal(np.where(wrong, -0.5, 1.2)) + skill)))
    limits = limits.round(1) if ties else limits
    odd = rng.random(groups.size)
    limits = np.select([odd < 0.03, odd < 0.05], [-math.inf, math.inf], limits)
    return list(map(Outcome, limits.tolist(), wrong.tolist(), groups.tolist()))


def unit_losses(found, risk, threshold):
    """Loss per group, counted the slow way."""
    groups = {}
    for one in found:
        delivered = one.limit >= threshold
        if risk is Risk.DELIVERED_WRONG:
            groups.setdefault(one.case, []).append(delivered and one.wrong)
        elif one.wrong is (risk is Risk.MISSED):
            groups.setdefault(one.case, []).append(delivered is (risk is Risk.MISSED))
    return [sum(losses) / len(losses) for losses in groups.values()]


def mean_loss(found, risk):
    """From a threshold to the mean of ``unit_losses``, quickly, for many answers and many thresholds."""
    concerned = [one for one in found if risk is Risk.DELIVERED_WRONG or one.wrong is (risk is Risk.MISSED)]
    sizes = Counter(one.case for one in concerned)
    limits = np.array([one.limit for one in concerned])
    shares = np.array([one.wrong / sizes[one.case] if risk is Risk.DELIVERED_WRONG else 1 / sizes[one.case] for one in concerned])  # fmt: skip
    lost_above = risk is not Risk.FALSE_ALARM
    return lambda threshold: float(shares[(limits >= threshold) == lost_above].sum()) / len(sizes)


@pytest.mark.parametrize("risk", Risk)
def test_the_quick_mean_is_that_of_the_slow_count(risk):
    """Groups and ties, too."""
    found = draw(np.random.default_rng(5), 40, ties=True, per_group=3)
    for threshold in (0.0, 0.3, 0.55, 1.0):
        assert mean_loss(found, risk)(threshold) == pytest.approx(np.mean(unit_losses(found, risk, threshold)))


@pytest.mark.parametrize("risk", Risk)
@pytest.mark.parametrize(("ties", "per_group"), [(False, 1), (True, 1), (False, 4)])
def test_mean_risk_of_a_new_answer_stays_below_the_target(risk, ties, per_group):
    """Theorem 1, over 200 draws of labels: a refusal counts as no loss. Neither is the threshold idly strict."""
    rng = np.random.default_rng(7)
    risk_of_new = mean_loss(draw(rng, 4000 // per_group, ties=ties, per_group=per_group), risk)
    risks = []
    for _ in range(200):
        try:
            choice = choose(draw(rng, 120, ties=ties, per_group=per_group), risk, 0.2)
        except UsageError:
            risks.append(0.0)
            continue
        risks.append(risk_of_new(choice.threshold))
    standard_error = np.std(risks) / math.sqrt(len(risks))
    assert np.mean(risks) <= 0.2 + 3 * standard_error + 0.01  # 0.01: the new ones are a sample, too
    assert np.mean(risks) >= (0.08 if ties else 0.15)


@pytest.mark.parametrize("per_group", [1, 4])
def test_with_delta_the_risk_rarely_exceeds_the_target(per_group):
    """In at most 10 % of the draws, where the bound in expectation lets about half exceed it."""
    rng = np.random.default_rng(11)
    risk_of_new = mean_loss(draw(rng, 6000 // per_group, per_group=per_group), Risk.MISSED)
    exceeded = {0.1: 0, None: 0}
    for _ in range(300):
        found = draw(rng, 200, per_group=per_group)
        for delta in exceeded:
            threshold = choose(found, Risk.MISSED, 0.2, delta).threshold
            exceeded[delta] += risk_of_new(threshold) > 0.2
    assert exceeded[0.1] <= 0.1 * 300 + 3 * math.sqrt(300 * 0.1 * 0.9)
    assert exceeded[None] > 0.2 * 300


@pytest.mark.parametrize("risk", Risk)
def test_the_reported_loss_and_cost_are_those_of_the_data(risk):
    """Counted again by hand, with groups."""
    found = draw(np.random.default_rng(3), 150, per_group=3)
    choice = choose(found, risk, 0.2)
    losses = unit_losses(found, risk, choice.threshold)
    assert (choice.n, choice.loss) == (len(losses), pytest.approx(np.mean(losses), abs=1e-9))
    assert holds(choice.loss, choice.n, target=0.2, delta=None)
    others = [o for o in found if o.wrong is (risk is Risk.FALSE_ALARM)]
    lost = [(o.limit >= choice.threshold) is (risk is Risk.FALSE_ALARM) for o in others]
    assert choice.cost == pytest.approx(np.mean(lost))


@settings(max_examples=40)
@given(st.lists(st.sampled_from([n / 40 for n in range(41)]) | st.floats(0, 1), min_size=150, max_size=160))
@example([0.15, *[0.0] * 149])
def test_a_smaller_target_never_delivers_more(scores):
    """And the next milder threshold of the grid would not hold."""
    found = [Outcome(score, wrong=n % 2 == 0, case=n) for n, score in enumerate(scores)]
    thresholds = []
    for target in (0.02, 0.1, 0.3):
        try:
            choice = choose(found, Risk.MISSED, target)
        except UsageError:
            continue
        thresholds.append(choice.threshold)
        if choice.threshold > 0:
            next_milder = round(choice.threshold - 1e-4, 4)  # of the grid: 0.1501 - 0.0001 is a little above 0.15
            milder = np.mean(unit_losses(found, Risk.MISSED, next_milder))
            assert not holds(milder, choice.n, target=target, delta=None)
    assert thresholds == sorted(thresholds, reverse=True)


def test_the_two_directions():
    """A bound on missed errors gives the lowest threshold that holds it, one on false alarms the highest."""
    found = [Outcome(n / 100, wrong=n < 40, case=n) for n in range(100)]
    missed = choose(found, Risk.MISSED, 0.1)
    assert (missed.threshold, missed.loss, missed.cost) == (0.3601, 0.075, 0.0)
    alarm = choose(found, Risk.FALSE_ALARM, 0.1)
    assert (alarm.threshold, alarm.cost) == (0.45, 0.0)
    assert choose(found, Risk.DELIVERED_WRONG, 0.1).threshold < missed.threshold


NUMBERS = [(0.05, None, 19), (0.1, None, 9), (0.01, None, 99), (0.05, 0.1, 45), (0.05, 0.05, 59)]


@pytest.mark.parametrize(("target", "delta", "least"), NUMBERS)
def test_too_few_labels_are_refused_and_the_number_needed_is_right(target, delta, least):
    """1/target - 1 in expectation; ln(delta) / ln(1 - target) with probability 1 - delta. One fewer is too few."""
    wrong = [Outcome(0.2, wrong=True, case=n) for n in range(least)]
    assert choose(wrong, Risk.MISSED, target, delta).threshold == 0.2001
    with pytest.raises(
        UsageError, match=rf"^{least - 1} wrong answers are too few.* at least {least} are needed.*1 more"
    ):
        choose(wrong[1:], Risk.MISSED, target, delta)


def test_no_label_of_the_kind_is_refused_too():
    """Right answers say nothing of missed errors."""
    right = [Outcome(0.9, wrong=False, case=n) for n in range(50)]
    with pytest.raises(UsageError, match=r"^0 wrong answers are too few for 'missed' at 0.05: at least 19"):
        choose(right)


def test_what_no_threshold_can_mend_needs_more_labels_or_cannot_be_had():
    """Answers always delivered count as losses at every threshold."""
    found = [Outcome(math.inf if n < 2 else 0.3, wrong=True, case=n) for n in range(50)]
    with pytest.raises(UsageError, match=r"at least 95 are needed, for 4.0% of the wrong answers are delivered"):
        choose(found, Risk.MISSED, 0.05)
    with pytest.raises(UsageError, match=r"4.0% .* More labels would not help"):
        choose(found, Risk.MISSED, 0.03)
    assert choose([*found, *found[2:] * 2], Risk.MISSED, 0.1).threshold == 0.3001


def test_flagged_by_rule_is_a_false_alarm_at_any_threshold():
    """No threshold delivers what a rule objects to, or what nobody could judge."""
    found = [Outcome(-math.inf if n < 5 else 0.8, wrong=False, case=n) for n in range(50)]
    with pytest.raises(
        UsageError, match=r"10.0% of the right answers are flagged at any threshold .*a reversed relation"
    ):
        choose(found, Risk.FALSE_ALARM, 0.1)
    assert choose(found, Risk.FALSE_ALARM, 0.15).threshold == 0.8


@pytest.mark.parametrize(("target", "delta", "name"), [(0, None, "target"), (1, None, "target"), (0.1, 1.2, "delta"), (float("nan"), None, "target")])  # fmt: skip
def test_numbers_outside_0_to_1_are_refused(target, delta, name):
    """The value is named."""
    with pytest.raises(UsageError, match=f"{name}.* must lie between 0 and 1, got"):
        choose([], Risk.MISSED, target, delta)


def test_needed_is_the_least_that_holds():
    """One less does not, for a floor of zero and above."""
    for floor, target in ((0.0, 0.05), (0.02, 0.05), (0.09, 0.1)):

        def bounded(loss, n, target=target):
            return holds(loss, n, target=target, delta=None)

        least = needed(floor, target, bounded)
        assert bounded(floor, least)
        assert not bounded(floor, least - 1)
    assert needed(0.05, 0.05, bounded) is None


def finding(verdict, score):
    return Finding(id="s1", text="x", span=Span(0, 1), claim="x", verdict=verdict, score=score)


def report(verdict, score):
    return Report(verdict=verdict, score=score, answer="x", passages=(), findings=(finding(verdict, score),))


V = Verdict
LIMITS = [(V.SUPPORTED, 0.7), (V.UNSUPPORTED, -math.inf), (V.CONTRADICTED, -math.inf), (V.UNVERIFIED, -math.inf), (V.ABSTAINED, math.inf)]  # fmt: skip


@pytest.mark.parametrize(("verdict", "limit"), LIMITS)
@pytest.mark.parametrize("label", [V.SUPPORTED, V.UNSUPPORTED, V.CONTRADICTED])
def test_each_verdict_has_its_limit(verdict, limit, label):
    """What a rule objects to, or nobody judged, is never delivered as supported; a decline always is."""
    labelled = LabelledAnswer(id="a", answer="x", passages=(Passage(text="y"),), label=label, dataset="d")
    assert outcome(labelled, report(verdict, 0.7), 3) == Outcome(limit, label is not V.SUPPORTED, 3)


TOWN, SHIP = (
    Entity(id=title, name="Lorne", title=title, passages=(number,), shares_name=True)
    for number, title in enumerate(("Lorne (town)", "Lorne (ship)"))
)
KINDS = {
    "plain": ({}, {}, {}),
    "not licensed": ({}, {"consistent": False}, {}),
    "licensed": ({}, {"consistent": True}, {}),
    "reversed": ({}, {"consistent": False, "contradicts": True}, {}),
    "namesake": ({}, {}, {"linked": TOWN, "other": SHIP}),
    "unverified": ({"unverified": "too late"}, {}, {}),
}


def judged_at(threshold, row, logic, mix):
    """The report of an answer of one segment that scores 0.8 by its facts."""
    segment = Segment(id="s1", span=Span(0, 1), text="x")
    cells = (Cell(supported=0.8, contradicted=0.1),) * 2
    findings = judge(
        [segment],
        {"s1": Row(**{"segment_id": "s1", "cells": cells, "supported": 0.8} | row)},
        {"s1": LogicVerdict(**{"segment_id": "s1"} | logic)} if logic else {},
        [],
        {"s1": Mix(segment_id="s1", margin=0.5, **mix)} if mix else {},
        "x",
        (Passage(text="y", id="1"), Passage(text="z", id="2")),
        threshold,
    )
    return Report(
        verdict=answer_verdict(findings), score=answer_score(findings), answer="x", passages=(), findings=findings
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_limit_at_threshold_0_tells_what_is_delivered_at_every_threshold(kind):
    """An unlicensed relation has a score of its own; one that is reversed, a namesake and UNVERIFIED never pass."""
    labelled = LabelledAnswer(id="a", answer="x", passages=(Passage(text="y"),), label=V.SUPPORTED, dataset="d")
    limit = outcome(labelled, judged_at(0.0, *KINDS[kind]), 0).limit
    for threshold in np.linspace(0.0, 1.0, 201):
        report = judged_at(float(threshold), *KINDS[kind])
        assert (report.verdict is V.SUPPORTED) == (limit >= threshold)
    expected = {"plain": 0.8, "licensed": 0.8, "not licensed": pytest.approx(limit)}.get(kind, -math.inf)
    assert limit == expected
    assert kind != "not licensed" or 0.0 < limit < 0.8


def test_labels_that_are_too_few_for_a_perfect_guard_are_too_few():
    """It delivers what is right and nothing else, so its risks are 0 and only the number of labels counts."""
    labels = [V.SUPPORTED] * 30 + [V.UNSUPPORTED] * 18 + [V.ABSTAINED] * 9
    answers = [LabelledAnswer(id=str(n), answer="x", passages=(), label=label) for n, label in enumerate(labels)]
    found = list(filter(None, map(perfect_outcome, answers, range(57))))
    for risk in (Risk.FALSE_ALARM, Risk.DELIVERED_WRONG):
        choice = choose(found, risk, 0.05)
        assert (choice.loss, choice.cost) == (0.0, 0.0)
    with pytest.raises(UsageError, match=r"^18 wrong answers are too few .* at least 19"):
        choose(found, Risk.MISSED, 0.05)


def test_an_answer_labelled_as_declining_is_neither_right_nor_wrong():
    """It is left out."""
    labelled = LabelledAnswer(id="a", answer="x", passages=(), label=V.ABSTAINED)
    assert outcome(labelled, report(V.SUPPORTED, 0.7), 0) is None
    assert perfect_outcome(labelled, 0) is None
