"""The nouns of this package: a hard fact, all facts of a text, and a fact that the evidence does not support."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from guardrail.text.words import Word, is_cjk
from guardrail.types import Span


class FactKind(StrEnum):
    """What sort of hard fact.

    QUANTITY is a number with a unit; RESERVE is what the evidence does not assert (reported, planned, denied ...),
    FORCE is may against must, ROLE is who does what to whom, NEIGHBOUR what is said of something else near by,
    YES_NO an opening yes or no against the sentence behind it, RECORD what a record says under a key or in a column.
    """

    NUMBER = "number"
    QUANTITY = "quantity"
    PERCENT = "percent"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    QUOTE = "quote"
    RESERVE = "reserve"
    FORCE = "force"
    ROLE = "role"
    NEIGHBOUR = "neighbour"
    YES_NO = "yes_no"
    RECORD = "record"


VALUE_KINDS = frozenset({FactKind.NUMBER, FactKind.QUANTITY, FactKind.PERCENT, FactKind.DATE})
"""Facts that have a value to compare."""

RELIABLE = 0.5
"""Weight of a mismatch from which it rarely stands against a true claim."""


EXACT = 1.0
"""Weight of a mismatch that decides alone."""


class Bound(StrEnum):
    """How a number is hedged."""

    EXACT = "exact"
    ABOUT = "about"
    OVER = "over"
    UNDER = "under"


class Amount(NamedTuple):
    """A number: ``raw`` as written, ``base`` in the base unit of ``unit`` (metres, seconds ...; "" for none)."""

    raw: float
    base: float
    unit: str = ""
    bound: Bound = Bound.EXACT
    label: bool = False  # part of a name or a numbering ("Korvel 40"): nothing to calculate with
    ordinal: bool = False
    small: bool = False  # a small count in words, which reworded text often adds or computes


class Moment(NamedTuple):
    """A date or time of day; None where it says nothing. ``years`` and ``weekdays`` are intervals."""

    years: tuple[int, int] | None = None
    month: int | None = None
    day: int | None = None
    weekdays: tuple[int, int] | None = None  # first and last, Monday = 0
    minute: int | None = None  # of the day
    sure: bool = False  # the half of the day is known
    swap: bool = False  # day and month may stand the other way round


class PolarityCue(NamedTuple):
    """A negating word (``pair`` empty) or one side of an antonym pair, and the stems that it applies to."""

    pair: str
    side: int
    span: Span
    scope: tuple[str, ...]
    negated: bool = False


Value = Amount | Moment | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One hard fact of a text, with its value made comparable."""

    kind: FactKind
    span: Span
    value: Value
    surface: str


class Item(NamedTuple):
    """A content word or a value in its place; ``key`` is the same for equal ones.

    ``kind`` is "name", "word", or the unit that two values must share to be compared. ``markers`` are the function
    words before it that may tell its role ("by", "not", "before").
    """

    key: tuple[object, ...]
    kind: str
    markers: tuple[str, ...]
    span: Span

    @property
    def is_value(self) -> bool:
        """Whether it is an amount or a moment."""
        return self.kind not in {"name", "word"}

    @property
    def is_character(self) -> bool:
        """Whether it is a single Chinese character."""
        return self.kind == "word" and is_cjk(str(self.key[0])[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All hard facts of a text, and what comparing needs beside them.

    ``facts`` are to be checked; ``counted`` also holds numbers too slight to check, as material for arithmetic.
    ``negated`` are the polarity cues; ``bag`` the content stems and ``forms`` all word forms.
    """

    text: str
    facts: tuple[Fact, ...]
    counted: tuple[Fact, ...]
    negated: tuple[PolarityCue, ...]
    words: tuple[Word, ...]
    bag: frozenset[str]
    forms: frozenset[str]
    initials: frozenset[str]
    computing: frozenset[str]  # words of comparing and counting up: numbers beside them may be computed
    items: tuple[Item, ...]  # content words and values in order
    supposing: frozenset[str]  # words that make up a case ("a customer who pays 250 ..."): its numbers may be free


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A fact of the claim that the evidence lacks, or contradicts by ``evidence_value``.

    ``weight`` (0..1) is how sure the rule is: see RELIABLE.
    """

    kind: FactKind
    span: Span
    claim_value: str
    evidence_value: str | None
    contradicts: bool
    weight: float


def mismatch(fact: Fact, weight: float, evidence_value: str | None = None) -> Mismatch:
    """What the gate reports of a fact: contradicted by ``evidence_value``, or unsupported where there is none."""
    return Mismatch(
        kind=fact.kind,
        span=fact.span,
        claim_value=fact.surface,
        evidence_value=evidence_value,
        contradicts=evidence_value is not None,
        weight=round(weight, 3),
    )
