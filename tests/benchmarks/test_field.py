"""The scoring rule of the field cases."""

from __future__ import annotations

import math

import pytest

from benchmarks.field import Sentence, area, calibration, counts, judge, met, words
from guardrail import Guard, Policy

CASE = {
    "id": "x",
    "genre": "support",
    "lang": "en",
    "question": "When is the pool open?",
    "passages": [{"id": "a", "title": "Pool", "text": "The pool is open from 8 to 20. Towels cost 2 euros."}],
    "answer": "The pool is open from 8 to 20. Towels cost 9 euros. Anything else?",
    "gold": [
        {"sentence": "The pool is open from 8 to 20.", "label": "supported", "type": "none"},
        {"sentence": "Towels cost 9 euros.", "label": "contradicted", "type": "number"},
        {"sentence": "Anything else?", "label": "not_checkworthy", "type": "none"},
    ],
}


def sentence(good, passed, score, judged=True):
    return Sentence(
        case="x", genre="g", lang="en", type="none", text="t", good=good, passed=passed, judged=judged, score=score,
        overlap=0.5, delivered=True, verdicts=(), reasons=(),
    )  # fmt: skip


@pytest.fixture(scope="module")
def guard():
    return Guard(policy=Policy.repair().with_(deadline=None))


def test_a_case_is_scored_sentence_by_sentence(guard):
    answer = judge(guard, CASE)
    right, wrong, idle = answer.sentences
    assert (right.good, right.passed, right.delivered, right.overlap) == (True, True, True, 1.0)
    assert (wrong.good, wrong.passed, wrong.delivered) == (False, False, False)
    assert (idle.good, idle.passed, idle.score) == (None, True, 1.0)
    assert (answer.good, answer.passed, answer.unchanged) == (False, False, False)


def test_a_finding_meets_what_it_overlaps_by_half_of_the_shorter(guard):
    report = guard.check(CASE["answer"], [CASE["passages"][0]["text"]])
    first = report.findings[0]
    assert met(*first.span, report) == [first]
    assert met(first.span.start, first.span.start + 4, report) == [first]  # the shorter lies inside it
    assert met(first.span.end - 2, first.span.end + 8, report) != [first]
    assert met(len(CASE["answer"]) + 5, len(CASE["answer"]) + 9, report) == []


def test_unverified_counts_as_a_false_alarm_and_lead_ins_as_nothing():
    rows = [sentence(True, False, 0.0, judged=False), sentence(True, True, 0.9), sentence(None, False, 0.1)]
    assert counts([*rows, sentence(False, True, 0.8)]) == ("1 of 2 (0.50)", "1 of 1 (1.00)")


def test_area_counts_ties_half():
    assert area([0.9, 0.5], [0.5, 0.1]) == pytest.approx(0.875)
    assert math.isnan(area([], [0.1]))


def test_calibration_leaves_out_what_nobody_judged():
    rows = [sentence(True, True, 0.75) for _ in range(3)] + [sentence(False, True, 0.75)]
    assert calibration(rows) == pytest.approx(0.0)
    assert calibration([*rows, sentence(True, False, 0.0, judged=False)]) == pytest.approx(0.0)
    assert calibration([sentence(False, True, 1.0)]) == pytest.approx(1.0)


def test_words_are_letters_and_digits_or_one_character_of_chinese():
    assert words("Open from 8, 图书馆") == {"open", "from", "8", "图", "书", "馆"}
