"""The verdict on all relations of a segment (L-Face4RAG, section 4.3)."""

from __future__ import annotations

import pytest

from guardrail.check.logic import check_logic
from guardrail.types import ErrorType
from tests.support.relations import judge_text

E = ErrorType


@pytest.mark.parametrize("evidence", [[], [""], ["The harbour was dredged in spring."]])
def test_silent_evidence(evidence: list[str]) -> None:
    """Evidence that does not speak of both sides decides nothing."""
    assert judge_text("Sales fell because the price rose.", evidence).consistent is None


def test_no_relation() -> None:
    """Nothing to judge without a relation."""
    assert judge_text("The tower stands in Vienna.", ["The tower stands in Graz."]).consistent is None


def test_worst_ruling_wins() -> None:
    """One reversed relation outweighs a licensed one."""
    text = "The race was cancelled because of the storm. The bridge closed before the flood."
    verdict = judge_text(text, ["The storm led to this: the race was cancelled.", "The bridge closed after the flood."])
    assert (verdict.consistent, verdict.error_type) == (False, E.OTHER_LOGIC)


def test_the_same_words_are_consistent() -> None:
    """A copy of the evidence needs no rule."""
    text = "Frost is enough to crack the pipe."
    assert judge_text(text, [f"Note: {text}", "It must be 10 below."]).consistent is True


def test_no_evidence_and_no_relations() -> None:
    """The id goes into the verdict unchanged."""
    assert check_logic("s7", "Frost leads to cracks.", (), ["Frost."]).segment_id == "s7"
