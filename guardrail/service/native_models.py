"""Requests and replies of the native API: what is read, and what /openapi.json describes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from guardrail.check.answer_lines import ClaimRecord, PassageRecord
from guardrail.service.offsets import Unit
from guardrail.types import Action, BiographyCategory, Cause, ErrorType, Verdict


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ExtractItem(_Read):
    """One answer to take apart."""

    answer: str = Field(description="The generated text.")
    id: str | int | None = Field(None, description="Yours; it comes back.")
    question: str | None = Field(None, description="What was asked.")


class CheckItem(ExtractItem):
    """One answer to check."""

    passages: list[str | PassageRecord] = Field(description="What the answer was generated from; ids are unique.")
    claims: list[str | list[str] | ClaimRecord] | None = Field(
        None, description="What to check of it: texts, triplets, or claims as /v1/extract gives them."
    )


class _Options(_Read):
    guard: str | None = Field(None, description="A guard of the service; without it the default one.")
    offsets: Unit = Field("code-point", description="What spans count in.")


class CheckRequest(CheckItem, _Options):
    """One answer to check, and how."""


class ExtractRequest(ExtractItem, _Options):
    """One answer to take apart, and how."""


class CheckBatch(_Options):
    """Several answers to check; the results come in the same order."""

    items: list[CheckItem] = Field(min_length=1)


class ExtractBatch(_Options):
    """Several answers to take apart; the results come in the same order."""

    items: list[ExtractItem] = Field(min_length=1)


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


Offsets = tuple[int, int]


class EvidenceReply(_Written):
    """A stretch of a passage that a verdict rests on."""

    passage_id: str
    span: Offsets
    quote: str
    title: str | None = None


class FindingReply(_Written):
    """What was found about one segment of the answer."""

    id: str
    text: str
    span: Offsets
    claim: str = Field(description="The segment as it reads alone.")
    verdict: Verdict
    score: float = Field(description="P(supported), 0 to 1.")
    error_type: ErrorType | None
    entity: str | None
    reason: str
    cause: Cause | None = Field(description="Why it is unverified.")
    focus: Offsets | None = Field(description="The words at fault.")
    conflict: bool
    evidence: list[EvidenceReply]
    action: Action | None = Field(None, description="Of /v1/run: what the policy does about it.")


class ClaimReply(_Written):
    """What was found about one claim."""

    id: str
    segment_id: str
    text: str
    triplet: list[str] | None
    span: Offsets | None
    verdict: Verdict
    score: float
    by_passage: dict[str, Verdict]
    evidence: list[EvidenceReply]
    reason: str


class SkippedReply(_Written):
    """A segment that needs no check."""

    span: Offsets
    reason: str | None


class ScoresReply(_Written):
    """Reductions of the support matrix (docs/concepts.md); null where undefined."""

    factscore: float | None
    d_factscore: float | None
    faithfulness: float | None
    logic: float | None
    n_groups: int
    n_entities: int
    category: BiographyCategory | None
    entailment: float | None
    neutral: float | None
    contradiction: float | None
    citation_recall: float | None
    citation_precision: float | None


class UsageReply(_Written):
    """What the check cost, where a model was asked."""

    calls: int
    rounds: int
    retries: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None
    cache_hits: int
    screened: int
    escalated: int
    calls_saved: int


class CheckReply(_Written):
    """A report."""

    id: str | int | None
    verdict: Verdict
    score: float
    reason: str
    engine: str
    findings: list[FindingReply]
    claims: list[ClaimReply]
    skipped: list[SkippedReply]
    scores: ScoresReply
    usage: UsageReply
    offsets: Unit | None = Field(None, description="Where other than code points were asked for.")


class RunReply(CheckReply):
    """A report, what the policy decided, and the text to deliver: a line of ``guardrail check``."""

    action: Action
    policy: str
    rule: str
    attempts: int
    exhausted: bool
    text: str = Field(description="What to deliver.")


class ExtractedClaim(_Written):
    """A claim of an answer."""

    id: str
    text: str
    triplet: list[str] | None
    span: Offsets | None


class ExtractReply(_Written):
    """An answer taken apart: a line of ``guardrail extract``."""

    id: str | int | None
    answer: str
    question: str | None = None
    claims: list[ExtractedClaim]
    reason: str | None = Field(None, description="Where the engine failed and rules took the answer apart.")
    offsets: Unit | None = None


class ErrorBody(_Written):
    """What went wrong."""

    code: str
    message: str


class ErrorReply(_Written):
    """A request, or an item of a batch, that is not answered."""

    error: ErrorBody
    id: str | int | None = Field(None, description="Of the item.")


class CheckResults(_Written):
    """Results of a batch."""

    results: list[CheckReply | ErrorReply]


class RunResults(_Written):
    """Results of a batch."""

    results: list[RunReply | ErrorReply]


class ExtractResults(_Written):
    """Results of a batch."""

    results: list[ExtractReply | ErrorReply]


class GuardReply(_Written):
    """A guard of the service."""

    name: str
    policy: str
    engine: str
    default: bool


class GuardsReply(_Written):
    """The guards that this key may use."""

    guards: list[GuardReply]


Status = Literal["ok", "ready", "warming", "draining"]


class StatusReply(_Written):
    """Whether the service lives, or is ready."""

    status: Status
    settings: str | None = Field(None, description="Where the settings file is wrong and the former ones stay.")


def schema_of(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """The JSON schema, with references into ``components`` of an OpenAPI page."""
    return model.model_json_schema(ref_template="#/components/schemas/{model}", mode=mode)
