"""Values that the evidence has elsewhere, not where the claim has them."""

from __future__ import annotations

import pytest

from guardrail.text.facts import FactKind, compare, extract
from guardrail.text.facts.displaced import judge_displaced

RESTART = (
    "Two of the four lines will start again on 24 March and the other two in mid-April.",
    "The first 40 tonnes are to arrive on 18 March.",
    "Staff were told on Tuesday.",
)


def found(claim: str, *sentences: str) -> list[tuple[str, str | None, float]]:
    mismatches = judge_displaced(extract(claim), [extract(sentence) for sentence in sentences])
    return [(m.claim_value, m.evidence_value, m.weight) for m in mismatches]


def test_the_date_of_another_event_is_found() -> None:
    assert found("Two of the four lines start again on 18 March.", *RESTART) == [("18 March", "24 March", 0.9)]


@pytest.mark.parametrize(
    "claim",
    [
        "Two of the four lines start again on 24 March.",
        "The first 40 tonnes arrive on 18 March.",
        "Two of the four lines start again on 30 March.",  # nowhere: missing, not displaced
        "Production resumes on 18 March.",  # no sentence is near enough to tell
        "Staff were told.",
    ],
)
def test_other_values_are_let_pass(claim: str) -> None:
    assert found(claim, *RESTART) == []


def test_the_other_value_counts_only_if_the_claim_lacks_it() -> None:
    both = "The night allowance rises from 25 to 35 per cent for all staff."
    told = ("The night allowance of all staff rises to 35 per cent.", "The allowance was 25 per cent.")
    assert found(both, *told) == []


def test_values_of_other_units_are_no_rivals() -> None:
    told = ("The ring stays amber for ten minutes after the cable was reseated.", "The cord has five metres.")
    assert found("The ring stays amber for five metres after the cable was reseated.", *told) == []


def test_compare_names_it_as_a_neighbours_value() -> None:
    mismatches = compare(extract("Two of the four lines start again on 18 March."), [extract(s) for s in RESTART])
    assert [(m.kind, m.contradicts) for m in mismatches] == [(FactKind.NEIGHBOUR, True)]


def test_nothing_is_compared_without_words_or_sentences() -> None:
    assert found("18.", *RESTART) == []
    assert found("Two of the four lines start again on 18 March.") == []
