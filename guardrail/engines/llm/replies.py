"""The form of replies that the prompts ask for. Reasoning stands before the verdict in each, so that it comes first.

A reply is read item by item: one item that is wrong spoils itself only. Documents are called "d1", "d2", ... by their
position, points "s1.1", "s1.2", ... by their segment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from guardrail.check.contract import NotJudged
from guardrail.engines.llm.protocol import LLMError, Reply
from guardrail.types import Cause

KnowledgeError = Literal[
    "none", "hallucination", "contradiction", "entity_inversion", "conflation", "conceptual_substitution"
]
LogicError = Literal[
    "none", "overgeneralization", "causal_confusion", "sufficient_necessary", "inclusion_relation", "other_logic"
]

FoundError = Literal[KnowledgeError, LogicError, "mixed_entities"]
"""What may be wrong with a point that holds a relation: all of the nine, and what is said of a namesake."""

_START = re.compile(r"\{(?=\s*[\"}])|\[(?=\s*[\[{])")  # other braces are prose
_MOST_WORKINGS = 60
_THOUGHTS_END = re.compile(r"</think(?:ing)?>")


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class QuoteReply(_Reply):
    """Words of a document, verbatim."""

    document: str
    text: str


class PointReply(_Reply):
    """One point of a segment against all documents.

    ``labels`` names every document with one letter, as "d1:N d2:S": S = it says all of the point, P = it says a part,
    C = it contradicts the point, N = it says nothing of it. S, P and C need a quote of that document.
    """

    id: str
    quotes: list[QuoteReply] = Field(default_factory=list)  # first the context, then the check against it (section 4.2)
    analysis: str = ""
    labels: str
    verdict: Literal["supported", "contradicted", "unsupported"]
    confidence: Literal["high", "medium", "low"] = "medium"
    error: KnowledgeError = "none"


class FoundPoint(PointReply):
    """A point as our own plans judge it, made of a terse reply (short_forms).

    ``labels`` may hold O: the document says it, but of another. ``absent``: it says that the documents do not say
    something, and they do not. ``no_claim``: it states nothing. ``aliases``: two names of one thing, or a sum and its
    result. ``second``: from the second look (second_look), and ``agreed``: the first had the same verdict; neither is
    ever written by the model.
    """

    verdict: Literal["supported", "contradicted", "unsupported", "absent", "no_claim"]  # type: ignore[assignment]
    error: FoundError = "none"  # type: ignore[assignment]
    aliases: list[list[str]] = Field(default_factory=list)
    second: bool = False
    agreed: bool = False


class LogicReply(_Reply):
    """The three steps of L-Face4RAG's logic check (section 4.3).

    ``unlicensed``: the documents state no such relation. ``contradicted``: they state another, or the reverse.
    """

    quotes: list[QuoteReply] = Field(default_factory=list)  # step 1, the relevant context
    answer_structure: str = ""  # step 2, a to d
    passage_structure: str = ""
    comparison: str = ""  # step 3
    verdict: Literal["consistent", "contradicted", "unlicensed", "no_relation"]
    error: LogicError = "none"


class FoundLogic(LogicReply):
    """The same of our own plans and of the second look (see FoundPoint)."""

    aliases: list[list[str]] = Field(default_factory=list)
    second: bool = False


class LogicOnlyReply(_Reply):
    """Reply to the prompt ``face4rag_logic`` (one segment)."""

    id: str
    logic: LogicReply


class PartReply(_Reply):
    """A segment of an answer (L-Face4RAG, section 4.1).

    ``units`` are numbers of the pieces of the answer that it covers; ``part`` are its words there, verbatim, if it is
    only a part of one piece, else "". ``individual`` is a key of ``individuals``, "" = nobody in particular.
    ``relation`` are the words that state a logical relation, "" = none. ``points``: (head, relation, tail) each.
    """

    units: list[int]
    part: str = ""
    text: str
    individual: str = ""
    relation: str = ""
    points: list[list[str]] = Field(default_factory=list)


class IndividualReply(_Reply):
    """Somebody or something that the answer is about, as a reader without prior knowledge takes it."""

    key: str
    name: str


class RewriteReply(_Reply):
    """Reply to the prompt ``rewrite``: what is changed and why, then the whole answer; "" if nothing of it holds."""

    analysis: str = ""
    answer: str


@lru_cache
def json_schema(reply: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON schema of a reply in the strict form of structured outputs: every property required, no others."""
    schema = reply.model_json_schema()
    for node in (schema, *schema.get("$defs", {}).values()):
        _close(node)
    return schema


def _close(node: dict[str, Any]) -> None:
    properties = node.get("properties")
    node.pop("description", None)
    node.pop("title", None)
    if properties is None:
        return
    node["additionalProperties"] = False
    node["required"] = list(properties)
    for each in properties.values():
        each.pop("default", None)
        each.pop("title", None)


def answer_of(reply: Reply) -> dict[str, Any] | NotJudged:
    """The JSON object of a reply, or why there is none."""
    if isinstance(reply, LLMError):
        return NotJudged(f"the judge could not be asked: {reply}", reply.cause)
    raw = read_object(reply.text)
    if raw is None:
        why = "was cut off" if reply.cut_off else "holds no JSON object"
        return NotJudged(f"the judge's reply {why}", Cause.REPLY)
    return raw


def read_object(text: str) -> dict[str, Any] | None:
    """The object, or None where the text holds none, a broken or cut one, or several that differ.

    Line ends inside strings pass, as weak models write them; NaN and Infinity, which JSON lacks, do not.
    """
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse)
    found: dict[str, Any] | None = None
    text = _without_thoughts(text)
    start = _START.search(text)
    while start is not None:
        try:
            value, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            return None  # what stands inside a broken object is a part of a reply, not a reply
        if not isinstance(value, dict) or found not in (None, value):
            return None
        found = value
        start = _START.search(text, end)
    return found


def _without_thoughts(text: str) -> str:
    if text.lstrip("\ufeff \t\r\n`jsonJSON").startswith("{"):
        return text
    end = _THOUGHTS_END.search(text)
    return text if end is None else text[end.end() :]


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def pairs_of(points: Iterable[Any]) -> list[tuple[str, str]]:
    """What a judge shows of a segment: names of one thing, and sums, on which other points may rest."""
    listed = (point.get("aliases") for point in points if isinstance(point, Mapping))
    return [
        (each[0], each[1])
        for aliases in listed
        if isinstance(aliases, list)
        for each in aliases
        if isinstance(each, list) and len(each) == 2 and all(isinstance(part, str) for part in each)
    ]


def workings_of(raws: Iterable[object]) -> tuple[tuple[str, str], ...]:
    """Sums that the judge shows in items of its replies, each once, the last ones if there are very many."""
    points = (raw.get("points") for raw in raws if isinstance(raw, Mapping))
    pairs = (pair for each in points if isinstance(each, list) for pair in pairs_of(each))
    sums = (pair for pair in pairs if all(any(map(str.isdigit, side)) for side in pair))
    return tuple(dict.fromkeys(sums))[-_MOST_WORKINGS:]
