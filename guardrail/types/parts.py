"""The parts: what a check takes an answer and its passages apart into, up to the matrix."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What the passages say about a segment; ABSTAINED exists for whole answers only.

    The three RefChecker labels (Entailment, Contradiction, Neutral) are SUPPORTED, CONTRADICTED and UNSUPPORTED.
    UNVERIFIED means that there is no verdict; it is never counted as support.
    """

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    UNVERIFIED = "unverified"
    ABSTAINED = "abstained"


class ErrorType(StrEnum):
    """The nine error types of Face4RAG (KDD'24, section 3), other logic errors, and D-FActScore's entity mix-up."""

    HALLUCINATION = "hallucination"
    CONTRADICTION = "contradiction"
    ENTITY_INVERSION = "entity_inversion"
    CONFLATION = "conflation"
    CONCEPTUAL_SUBSTITUTION = "conceptual_substitution"
    OVERGENERALIZATION = "overgeneralization"
    CAUSAL_CONFUSION = "causal_confusion"
    SUFFICIENT_NECESSARY = "sufficient_necessary"
    INCLUSION_RELATION = "inclusion_relation"
    OTHER_LOGIC = "other_logic"
    MIXED_ENTITIES = "mixed_entities"


class Cause(StrEnum):
    """Why a segment is not verified."""

    TIMEOUT = "timeout"  # the deadline, or a request to a model, ran out of time
    BUDGET = "budget"  # no request is left, or the endpoint is taken for down (breaker)
    NO_PASSAGES = "no_passages"
    LANGUAGE = "language"  # the engine does not read it
    LENGTH = "length"  # too short to judge, or beyond the number of segments that are checked
    REPLY = "reply"  # a model or engine replied what cannot be used
    ENGINE = "engine"  # the engine, or the service behind it, failed; or it gives no cause
    INTERNAL = "internal"  # a fault of ours


LOGIC_ERRORS = frozenset(
    {
        ErrorType.OVERGENERALIZATION,
        ErrorType.CAUSAL_CONFUSION,
        ErrorType.SUFFICIENT_NECESSARY,
        ErrorType.INCLUSION_RELATION,
        ErrorType.OTHER_LOGIC,
    }
)
"""Error types that a policy's ``logic`` key stands for."""


class Span(NamedTuple):
    """A stretch of text: ``text[start:end]``."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The stretch itself."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether both have a character in common."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One retrieved passage. ``title`` names the document or the individual that it is about."""

    text: str
    id: str = ""
    title: str | None = None


class RelationKind(StrEnum):
    """Relations between two parts of a sentence; the first part is the one named first here."""

    CAUSE = "cause"  # cause -> effect
    PURPOSE = "purpose"  # means -> end
    CONDITION = "condition"  # sufficient condition -> consequence ("if A, B")
    NECESSITY = "necessity"  # necessary condition -> consequence ("B only if A", "unless A, not B")
    CONCESSION = "concession"  # obstacle -> what holds all the same ("although A, B")
    SEQUENCE = "sequence"  # earlier -> later
    COMPARISON = "comparison"  # greater -> lesser, or two sides set against each other
    INCLUSION = "inclusion"  # whole or class -> part or member ("A such as B")
    SCOPE = "scope"  # quantity -> what it ranges over ("all A", "most A", "only A")
    OTHER = "other"  # one that a model named and no rule reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A connective with its two sides in normal order (see RelationKind), as found in one text."""

    kind: RelationKind
    connective: str
    span: Span
    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The smallest thing that is judged: an atomic fact, or a triplet (head, relation, tail) as RefChecker has it.

    ``span`` is where the answer says it, as far as that can be told.
    """

    id: str
    text: str
    triplet: tuple[str, str, str] | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of the answer that keeps together what logic ties together (L-Face4RAG, section 4.1).

    ``answer[span.start:span.end]`` is the piece as written; ``text`` says the same alone (pronouns resolved, citation
    marks removed). ``skipped`` is None for a segment to check, else why it needs no check. ``claims`` are the points
    that the segment makes, where an engine took it apart further.
    """

    id: str
    span: Span
    text: str
    relations: tuple[Relation, ...] = ()
    citations: tuple[str, ...] = ()
    skipped: str | None = None
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """All segments of an answer in order; ``abstained``: the answer declines and claims nothing."""

    segments: tuple[Segment, ...]
    abstained: bool = False
    unreadable: bool = False  # something that may hold claims (code) was left unchecked

    @property
    def checked(self) -> tuple[Segment, ...]:
        """Segments that get a finding."""
        return tuple(s for s in self.segments if s.skipped is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """An individual that passages describe; ``passages`` are their numbers. ``shares_name``: others bear this name."""

    id: str
    name: str
    title: str
    passages: tuple[int, ...]
    shares_name: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityGroup:
    """Segments that a reader without prior knowledge takes to be about one individual (D-FActScore, section 4)."""

    id: str
    name: str
    segments: tuple[str, ...]
    entity: Entity | None = None  # set by link, only where passages describe namesakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One segment against one passage: probabilities (0..1) and the evidence in that passage."""

    supported: float
    contradicted: float
    evidence: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One segment against all passages.

    ``cells[i]`` belongs to passage i; None = not read (ranked below the reading budget). ``supported`` and
    ``contradicted`` judge all passages together, since evidence may be spread over several. ``unverified`` says why
    it was not verified, else None; ``cause`` is the kind of reason, ENGINE where it is left out. ``focus`` are
    stretches of the *segment text* that the evidence does not support.
    """

    segment_id: str
    cells: tuple[Cell | None, ...]
    supported: float = 0.0
    contradicted: float = 0.0
    evidence: tuple[tuple[int, Span], ...] = ()
    error_type: ErrorType | None = None
    reason: str = ""
    focus: tuple[Span, ...] = ()
    unverified: str | None = None
    cause: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicVerdict:
    """Whether the passages license the relation that a segment states (L-Face4RAG, section 4.3).

    ``consistent`` is None where the evidence does not speak of both sides. ``decisive``: the verdict fails the segment
    by itself (a judge compared both structures); else it only counts against it.
    """

    segment_id: str
    consistent: bool | None
    error_type: ErrorType | None = None
    reason: str = ""
    focus: Span | None = None  # the connective, in the segment text
    contradicts: bool = False  # the evidence states the opposite, rather than nothing
    decisive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one answer cost: requests to a model (retries included), rounds of them, tokens, and what was spared.

    ``cost`` is in the currency of the prices that the engine was given; None = no prices. ``cache_hits`` counts
    verdicts and decompositions that were remembered. ``escalated`` of ``screened`` segments went from the first engine
    of a cascade to the second; ``calls_saved`` is what the second alone would have asked beyond that.
    """

    calls: int = 0
    rounds: int = 0
    retries: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    cache_hits: int = 0
    screened: int = 0
    escalated: int = 0
    calls_saved: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Both together; a cost that is not known counts as nothing beside one that is."""
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        counts = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self) if f.name != "cost"}
        return Usage(cost=sum(costs) if costs else None, **counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportMatrix:
    """Segments x passages, filled once; every score and verdict is a reduction of it (docs/concepts.md).

    ``claims`` are rows of single claims, by claim id, where the engine judged them. ``logic`` are verdicts that the
    engine gave itself; the rules judge the relations of other segments.
    """

    rows: tuple[Row, ...]
    claims: tuple[Row, ...] = ()
    logic: tuple[LogicVerdict, ...] = ()
    usage: Usage = field(default_factory=Usage)
