"""Where: the words of the answer at fault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail import Guard, Passage, Span, Verdict
from guardrail.check.fault import MAX_WORDS, best_stretch, find_fault, known_stems, relation_around
from guardrail.types import ErrorType, Row, Segment
from tests.support.growth import calls
from tests.support.verified import judge

DAM = (
    "Larkmoor Dam was closed to visitors on 4 May 2021. Divers found a crack in the spillway gate. "
    "The repair took eleven weeks and cost 2.3 million euros. The dam supplies the town of Fennick with water."
)
SENTENCES = DAM.replace("2.3", "2#3").split(". ")


FAULTS = [
    ("The repair took eleven weeks and cost 2.3 million dollars.", "dollars"),
    ("Divers from Norway found a crack in the spillway gate.", "Norway"),
    ("The dam supplies the village of Ostrava with water.", "village of Ostrava"),
]


@pytest.mark.parametrize(("claim", "words"), FAULTS)
def test_the_words_that_differ_are_marked(claim, words):
    """Not the whole sentence, and the foreign words are inside."""
    span = find_fault(claim, [DAM], known_stems([DAM]))
    assert words in span.of(claim)
    assert len(span.of(claim)) <= len(words) + 12


def test_an_invented_sentence_is_marked_whole():
    """The evidence speaks of something else."""
    claim = "The mayor later apologised to local hotel owners."
    assert find_fault(claim, [DAM], known_stems([DAM])).of(claim) == claim[:-1]


def test_two_things_that_change_places_are_marked():
    """All words are known; only their order differs."""
    evidence = "Rye feeds last longer than wheat feeds, although they make the starter more acidic."
    claim = "Wheat feeds last longer than rye feeds, although they make the starter more acidic."
    span = find_fault(claim, [evidence], known_stems([evidence]))
    assert span.start == 0
    assert span.end <= len("Wheat feeds last longer than rye feeds")


def test_nothing_to_compare_with_marks_nothing():
    """No evidence, no words, or a text that is no sentence."""
    assert find_fault("The dam is high.", []) is None
    assert find_fault("...", [DAM]) is None
    assert find_fault("dam " * (MAX_WORDS + 1), [DAM]) is None


@given(st.text(max_size=200), st.lists(st.text(max_size=100), max_size=3))
def test_any_text_gets_a_span_inside_it(text, evidence):
    """Never an exception, never an offset outside."""
    span = find_fault(text, evidence, known_stems(evidence))
    assert span is None or 0 <= span.start < span.end <= len(text)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=12))
def test_the_best_stretch_is_the_best_of_all(odds):
    """Against all stretches."""
    first, last = best_stretch(odds)
    assert sum(odds[first : last + 1]) == max(
        sum(odds[a : b + 1]) for a in range(len(odds)) for b in range(a, len(odds))
    )  # fmt: skip


RELATIONS = [
    ("It rained. The dam was closed because divers found a crack. It reopened.", "because", "The dam was closed because divers found a crack"),
    ("Sales rose, all shops were closed, and staff left.", "all", "all shops were closed"),
    ("Only if it rains, the gate opens.", "Only if", "Only if it rains, the gate opens"),
    ("The gate costs 2.5 euros because it is new", "because", "The gate costs 2.5 euros because it is new"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "connective", "whole"), RELATIONS)
def test_a_relation_is_its_sentence_and_a_quantity_its_clause(text, connective, whole):
    """Whatever stands around it."""
    start = text.index(connective)
    assert relation_around(text, Span(start, start + len(connective))).of(text) == whole


def judged(answer, row):
    segment = Segment(id="s1", span=Span(0, len(answer)), text=answer)
    passages = (Passage(text=DAM, id="p"),)
    return judge((segment,), {"s1": row}, {}, (), {}, answer, passages, 0.5)[0]


def row(**changes):
    evidence = ((0, Span(0, len(DAM))),)
    return Row(**({"segment_id": "s1", "cells": (None,), "supported": 0.1, "evidence": evidence} | changes))


def test_a_finding_of_any_engine_gets_its_focus():
    """Where the engine names no words; supported and unverified findings have none."""
    answer = "Divers from Norway found a crack in the spillway gate."
    assert "Norway" in judged(answer, row()).focus.of(answer)
    assert judged(answer, row(supported=0.9)).focus is None
    assert judged(answer, row(supported=0.0, unverified="no time")).focus is None
    assert judged(answer, row(evidence=())).focus is None


def test_a_hard_fact_stays_inside_the_focus():
    """The stretch may grow around it, and never leaves it out."""
    answer = "The repair took eleven weeks and cost 9.9 million euros."
    start = answer.index("9.9")
    finding = judged(answer, row(focus=(Span(start, start + 3),), error_type=ErrorType.CONTRADICTION))
    assert finding.focus.start <= start < start + 3 <= finding.focus.end
    assert finding.span.start <= finding.focus.start
    assert finding.focus.end <= finding.span.end


def test_the_real_guard_marks_a_clause_of_a_sentence():
    """End to end, on the second sentence of an answer."""
    answer = "Divers found a crack in the spillway gate. The repair took eleven weeks and was paid for by the Queen of Norway."
    report = Guard().check(answer, [DAM])
    finding = report.findings[-1]
    assert report.findings[0].verdict is Verdict.SUPPORTED
    assert "Queen of Norway" in finding.focus.of(answer)
    assert "The repair took" not in finding.focus.of(answer)
    assert [e.quote for e in finding.evidence][:1] == ["The repair took eleven weeks and cost 2.3 million euros."]


def test_marking_makes_some_calls_for_each_word():
    """For the longest segment, too, against two sentences of evidence."""
    words = "The repair of the dam took twelve years and was paid for by the Queen of Norway.".split() * 10
    for count in (15, 60, MAX_WORDS):
        text = " ".join(words[:count])
        assert calls(lambda text=text: find_fault(text, SENTENCES[:2], known_stems([DAM]))) < 1500 + 40 * count
