"""From reports to measures: what counts as what. The reports are written here, so the right figures are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guardrail import Policy
from guardrail.evaluation import Judged
from guardrail.evaluation.cases import Shared
from guardrail.evaluation.evaluate import evaluate
from guardrail.types import ErrorType, Passage
from tests.support.judged_rows import A, C, N, S, U, one, row


def value(level, name):
    return level.figures[name].value


def test_the_guards_verdict_is_the_shipped_threshold():
    (level,) = one([row(S, S, 0.4), row(S, U, 0.6), row(C, C), row(U, S)]).levels
    assert value(level, "false_alarm_rate") == 0.5
    assert value(level, "error_recall") == 0.5
    assert value(level, "balanced_accuracy") == 0.5
    assert (level.n, level.supported, level.not_judged) == (4, 2, 0)


def test_unverified_counts_as_not_supported_and_is_counted_apart():
    (level,) = one([row(S, S), row(S, N), row(C, N), row(C, C)]).levels
    assert value(level, "false_alarm_rate") == 0.5
    assert value(level, "error_recall") == 1.0
    assert level.not_judged == 2
    assert sum(b.n for b in level.calibration) == 2


def test_answers_that_decline_stand_apart():
    measured = one([row(A, A), row(A, S), row(S, S), row(C, C)])
    assert (measured.abstained, measured.abstained_found) == (2, 1)
    assert measured.levels[0].n == 2


def test_types_have_the_share_flagged_and_the_share_named_right():
    rows = [
        row(C, C, error_type=ErrorType.CAUSAL_CONFUSION, said=ErrorType.CAUSAL_CONFUSION),
        row(C, C, error_type=ErrorType.CAUSAL_CONFUSION, said=ErrorType.HALLUCINATION),
        row(C, S, error_type=ErrorType.CAUSAL_CONFUSION, said=ErrorType.CAUSAL_CONFUSION),
        row(U, N, error_name="OutE"),
        row(U, U),
        row(S, U),
        row(S, S),
    ]
    types = {t.name: t for t in one(rows).levels[0].types}
    assert next(iter(types)) == "supported"
    assert types["supported"].flagged.value == 0.5
    causal = types["causal_confusion"]
    assert causal.flagged.value == pytest.approx(2 / 3)
    assert causal.named == pytest.approx(1 / 3)  # a type on a supported finding is not said of the answer
    assert (types["OutE"].named, types["OutE"].not_judged) == (None, 1)
    assert types["unsupported"].n == 1


def test_languages_and_lengths():
    long = " ".join(["word"] * 41)
    rows = [
        row(S, S, lang="en"),
        row(C, C, answer=long),
        row(S, N, lang="zh", answer="水" * 16),
        row(C, N, lang="zh", answer=long),
    ]
    (level,) = one(rows).levels
    assert {s.name: (s.n, s.not_judged) for s in level.languages} == {"en": (2, 0), "zh": (2, 2)}
    assert {s.name: s.n for s in level.lengths} == {"up to 15 words": 1, "16 to 40": 1, "41 to 100": 2}
    english, chinese = level.languages
    assert value(english, "auc") == 1.0
    assert value(chinese, "balanced_accuracy") == 0.5


def test_the_unsure_are_handed_on_first():
    # Right where it is sure, wrong near the threshold; what nobody judged goes before all.
    sure = [row(S, S, 0.95), row(C, C, 0.05)] * 4
    unsure = [row(C, S, 0.55)]
    unjudged = [row(S, N)]
    (level,) = one([*unsure, *unjudged, *sure]).levels
    accuracy = {round(c.coverage, 2): c.accuracy for c in level.coverage}
    assert accuracy[1.0] == 0.8
    assert accuracy[0.9] == pytest.approx(8 / 9)
    assert accuracy[0.8] == 1.0


def test_claims_and_the_answers_they_make_up():
    claims = [
        row(S, S, 0.9, claim=True, part_of="x"),
        row(U, S, 0.6, claim=True, part_of="x"),
        row(S, S, 0.8, claim=True, part_of="y"),
        row(S, U, 0.2, claim=True, part_of="y"),
    ]
    by_claim, by_answer = one(claims).levels
    assert (by_claim.level, by_claim.n) == ("claims", 4)
    assert (by_answer.level, by_answer.n, by_answer.supported) == ("answers from claims", 2, 1)
    assert value(by_answer, "false_alarm_rate") == 1.0
    assert value(by_answer, "error_recall") == 0.0
    assert value(by_answer, "auc") == 0.0  # 0.6 for the wrong answer, 0.2 for the right one


def test_two_questions_with_the_same_answer_are_two_answers():
    claims = [
        row(S, S, claim=True, part_of="Yes.", group="a"),
        row(S, S, claim=True, part_of="Yes.", group="a"),
        row(U, U, claim=True, part_of="Yes.", group="b"),
    ]
    by_answer = one(claims).levels[1]
    assert (by_answer.n, by_answer.supported) == (2, 1)


def test_whole_answers_come_before_their_claims_and_are_not_made_up_again():
    levels = one([row(S, S), row(C, C), row(S, S, claim=True, part_of="x"), row(U, U, claim=True, part_of="x")]).levels
    assert [level.level for level in levels] == ["answers", "claims"]


def test_mixed_up_namesakes():
    mix = ErrorType.MIXED_ENTITIES
    rows = [
        row(U, U, mixed=True, said=mix),
        row(U, U, mixed=True),
        row(U, U, mixed=True, said=mix),
        row(S, U, mixed=False, said=mix),
    ]
    mixed = one(rows).mixed
    assert (mixed.n, mixed.precision, mixed.recall) == (4, pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert mixed.f1 == pytest.approx(2 / 3)
    ordinary = one([row(S, U, said=mix), row(S, S), row(S, S), row(S, S)]).mixed
    assert (ordinary.n, ordinary.f1, ordinary.false_rate) == (0, None, 0.25)
    assert one([row(S, S)]).mixed is None


def test_the_mean_is_over_sets():
    first = [row(S, S), row(C, C)]
    second = [Judged(replace(r.answer, dataset="other"), r.report) for r in (row(S, U), row(C, C))]
    evaluation = evaluate([*first, *second], Policy.monitor(), resamples=0)
    assert [s.name for s in evaluation.sets] == ["d", "other"]
    assert evaluation.mean["balanced_accuracy"] == 0.75


def test_a_set_of_declining_answers_only_has_no_figures():
    measured = one([row(A, A)])
    assert (measured.levels, measured.abstained_found) == ((), 1)


def test_the_roc_keeps_its_corners():
    rows = [row(S if n % 3 else C, S if n % 2 else U, ((n * 7) % 40) / 40) for n in range(40)]
    (level,) = one(rows).levels
    assert level.roc[0] == (0.0, 0.0)
    assert level.roc[-1] == (1.0, 1.0)
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in zip(level.roc, level.roc[1:], strict=False))
    assert area == pytest.approx(value(level, "auc"))
    assert len(level.roc) > 10
    assert one([row(S, S, 0.9), row(C, C, 0.1), row(C, C, 0.2), row(S, S, 0.8)]).levels[0].roc == (
        (0, 0),
        (0, 1),
        (1, 1),
    )


def on_passages(count):
    """Sixty questions, half of them answered wrong, over so many passages."""
    rows = [row(S if n % 2 else U, S if n % 3 else U, question=f"Question {n}?", group=f"q{n}") for n in range(60)]
    texts = [(Passage(text=f"Passage {n % count}."),) for n in range(60)]
    return [replace(one, answer=replace(one.answer, id=str(n), passages=texts[n])) for n, one in enumerate(rows)]


def test_intervals_are_over_cases_that_share_a_passage():
    """Sixty questions over five passages are five draws, unless the caller says that the passages stay the same."""

    def level(rows, shared=Shared.PASSAGE):
        return evaluate(rows, Policy.monitor(), shared=shared).sets[0].levels[0]

    five, by_question = level(on_passages(5)), level(on_passages(5), Shared.QUESTION)
    assert (five.cases, by_question.cases, level(on_passages(60)).cases) == (5, 60, 60)
    first, second = (one.figures["error_recall"] for one in (five, by_question))
    assert first.value == second.value
    assert (first.low, first.high) != (second.low, second.high)
    alone = level(on_passages(1))
    assert (alone.cases, alone.figures["auc"].low) == (1, None)
