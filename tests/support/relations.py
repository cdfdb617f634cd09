"""A text judged by its relations against evidence sentences, and what the verdict must be."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.check.logic import check_logic, find_relations
from guardrail.types import ErrorType, LogicVerdict


def judge_text(text: str, evidence: Sequence[str]) -> LogicVerdict:
    """The verdict on all relations that the text states."""
    return check_logic("s1", text, find_relations(text), evidence)


def assert_wrong(text: str, evidence: Sequence[str], error_type: ErrorType, *, contradicts: bool) -> None:
    """The logical error is found, named, explained and located."""
    verdict = judge_text(text, evidence)
    assert (verdict.consistent, verdict.error_type, verdict.contradicts) == (False, error_type, contradicts)
    assert verdict.segment_id == "s1"
    assert verdict.reason.endswith(".")
    assert verdict.focus is not None
    assert verdict.focus.of(text) in [r.connective for r in find_relations(text)]


def assert_entailed(text: str, evidence: Sequence[str]) -> None:
    """The same relation in other order or with another connective is consistent."""
    assert judge_text(text, evidence).consistent is True


def assert_no_alarm(text: str, evidence: Sequence[str]) -> None:
    """An honest rewording is never called inconsistent."""
    verdict = judge_text(text, evidence)
    assert verdict.consistent is not False, verdict
