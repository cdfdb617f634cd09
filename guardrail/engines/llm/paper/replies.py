"""The form of replies that the prompts of the papers' plans ask for; lists are read item by item."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from guardrail.check.contract import NotJudged
from guardrail.engines.llm.replies import KnowledgeError, QuoteReply

Form = TypeVar("Form", bound=BaseModel)


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class PieceReply(_Form):
    """A segment: numbers of the pieces of the answer that it covers, its words there if it is a part, its text."""

    units: list[int]
    part: str = ""
    text: str


class PiecesReply(_Form):
    """Reply to ``face4rag_decompose``."""

    segments: list[PieceReply]


class InformationReply(_Form):
    """An informational point, its context, and the check (L-Face4RAG, section 4.2, steps 1 to 3)."""

    point: str
    context: list[QuoteReply] = Field(default_factory=list)
    analysis: str = ""
    verdict: Literal["consistent", "contradicted", "not_found"]
    error: KnowledgeError = "none"


class FactCheckReply(_Form):
    """Reply to ``face4rag_facts`` (one segment)."""

    id: str
    points: list[InformationReply]


class FactsReply(_Form):
    """Reply to ``d_factscore_facts`` (one sentence)."""

    facts: list[str]


class GroupReply(_Form):
    """An individual as a reader without prior knowledge sees it, and the ids of the facts about it."""

    name: str = ""
    facts: list[str]


class GroupsReply(_Form):
    """Reply to ``d_factscore_groups``."""

    groups: list[GroupReply]


class TruthReply(_Form):
    """Reply to ``d_factscore_verify`` (one fact, the passages of one individual)."""

    id: str
    verdict: Literal["true", "false"]


class TripletsReply(_Form):
    """Reply to ``refchecker_triplets``: (head, relation, tail) each."""

    triplets: list[list[str]]


class ClaimReply(_Form):
    """A sub-sentence claim and the numbers of the sentences that say it."""

    text: str
    sentences: list[int]


class ClaimsReply(_Form):
    """Reply to ``refchecker_subsentences``."""

    claims: list[ClaimReply]


class LabelReply(_Form):
    """RefChecker's label of one claim against one passage."""

    id: str
    label: Literal["Entailment", "Neutral", "Contradiction"]


class LabelsReply(_Form):
    """Reply to ``refchecker_check`` (up to five claims, one passage)."""

    labels: list[LabelReply]


def items(raw: dict[str, Any] | NotJudged, key: str, form: type[Form]) -> list[Form]:
    """The items of a list in a reply that have the right form; one that is wrong spoils itself only."""
    listed = raw.get(key) if isinstance(raw, dict) else None
    found = []
    for item in listed if isinstance(listed, list) else []:
        try:
            found.append(form.model_validate(item))
        except ValidationError:
            continue
    return found
