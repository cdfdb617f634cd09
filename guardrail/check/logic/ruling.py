"""What a rule says about one relation of a segment."""

from __future__ import annotations

from typing import NamedTuple

from guardrail.types import ErrorType, Relation, Span


class Ruling(NamedTuple):
    """One relation judged; ``consistent`` as in ``LogicVerdict``."""

    consistent: bool | None
    focus: Span
    reason: str = ""
    error_type: ErrorType | None = None
    contradicts: bool = False

    @property
    def rank(self) -> int:
        """0 is the worst."""
        if self.consistent is False:
            return 0 if self.contradicts else 1
        return 2 if self.consistent is None else 3


def licensed(relation: Relation, by: Relation) -> Ruling:
    """The evidence states the same relation."""
    return Ruling(True, relation.span, f"The evidence ties the same two sides with '{by.connective}'.")


def undecided(relation: Relation) -> Ruling:
    """The evidence does not speak of both sides, or not clearly enough."""
    return Ruling(None, relation.span)


def refuted(relation: Relation, error_type: ErrorType, reason: str, *, contradicts: bool) -> Ruling:
    """The evidence states something else (``contradicts``) or nothing about how the sides belong together."""
    return Ruling(False, relation.span, reason, error_type, contradicts)


def shorten(side: str) -> str:
    """A side for a reason: at most 60 characters."""
    return side if len(side) <= 60 else f"{side[:57].rstrip()}..."
