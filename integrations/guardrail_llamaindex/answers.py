"""LlamaIndex's responses: their text, their nodes as passages, and the response that is delivered instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.schema import NodeWithScore
from pydantic import BaseModel

from guardrail import GuardedAnswer, Passage
from guardrail.check.intake import PassageLike
from guardrail.check.threads import in_pool
from guardrail.retrieval.titles import title_of
from guardrail.wrap.kinds import HideFrom
from guardrail_llamaindex.objects import text_of_object, with_text
from guardrail_llamaindex.sub_answers import is_sub_answer

KEY = "guardrail"
"""Key of the GuardedRecord in metadata."""

MODE_KEY = "guardrail_mode"
"""Key of the mode in the metadata of a stream."""


Selector = Callable[[Sequence[NodeWithScore]], Iterable[PassageLike]]
"""Which of an answer's source nodes are passages to check against, and as what."""


class GuardedRecord(dict[str, Any]):
    """A GuardedAnswer where LlamaIndex wants JSON: its items are those of ``GuardedAnswer.to_dict``, without texts.

    ``guarded`` is the answer itself, and its attributes are this record's: ``record.report.findings``,
    ``record.to_dict(texts=True)``.
    """

    guarded: GuardedAnswer

    @classmethod
    def of(cls, guarded: GuardedAnswer) -> GuardedRecord:
        """The record of an answer. Copies that others make of its items alone are without the answer."""
        record = cls(guarded.to_dict())
        record.guarded = guarded
        return record

    def __getattr__(self, name: str) -> Any:
        if name == "guarded" or name.startswith("__"):  # a copy that is being made has no answer yet
            raise AttributeError(name)
        return getattr(self.guarded, name)


RESPONSES = (Response, PydanticResponse, StreamingResponse, AsyncStreamingResponse)


def text_of(response: RESPONSE_TYPE, field: str | None = None) -> str:
    """The answer's text; None (nothing was found) is an empty answer, of an object it is the answer's field.

    Drains a StreamingResponse; it stays readable through ``str(response)``.
    """
    if isinstance(response, StreamingResponse):
        response = response.get_response()
    answer = getattr(response, "response", None)
    if isinstance(answer, BaseModel):
        return text_of_object(answer, field)
    return "" if answer is None else str(answer)


async def atext_of(response: RESPONSE_TYPE, field: str | None = None) -> str:
    """The same for a response that may have to be awaited."""
    if isinstance(response, AsyncStreamingResponse):
        return text_of(await response.get_response(), field)
    if isinstance(response, StreamingResponse):  # its generator waits for a model
        return await in_pool("streams", text_of, response, field)
    return text_of(response, field)


def delivered(
    response: RESPONSE_TYPE, guarded: GuardedAnswer, hide_from: HideFrom, field: str | None = None
) -> RESPONSE_TYPE:
    """A new response: the delivered text, the same source nodes and metadata, and the verdict.

    An object keeps its type and the fields beside the answer's. One that has no such field keeps its shape where its
    text is delivered unchanged; else a plain Response stands in its place.
    """
    metadata = {**(response.metadata or {}), KEY: verdict(guarded, hide_from)}
    value = response.response if isinstance(response, PydanticResponse) else None
    if value is not None:
        new = value if guarded.text == text_of(response, field) else with_text(value, guarded.text, field)
        if isinstance(new, BaseModel):
            return PydanticResponse(new, response.source_nodes, metadata)
    return Response(guarded.text, response.source_nodes, metadata)


def verdict(guarded: GuardedAnswer, hide_from: HideFrom) -> GuardedRecord:
    """The record for metadata.

    Args:
        guarded: What the guard said.
        hide_from: ``"all"`` takes out all words of the answer that are not delivered: the report's answer becomes the
            delivered text, findings on other words keep verdict, score, error type and spans only, and the report of
            an earlier attempt is dropped.
    """
    if hide_from != "all" or (guarded.original is None and guarded.text == guarded.report.answer):
        return GuardedRecord.of(guarded)
    report, text = guarded.report, guarded.text
    kept = replace(
        report,
        answer=text,
        findings=tuple(f if f.text in text else replace(f, text="", claim="", reason="") for f in report.findings),
        claims=tuple(c for c in report.claims if c.text in text),
        skipped=tuple(s for s in report.skipped if s.text in text),
        groups=tuple(g for g in report.groups if g.name in text),
        reason="",
    )
    return GuardedRecord.of(replace(guarded, report=kept, original=None))


def to_passages(nodes: Sequence[NodeWithScore]) -> list[Passage]:
    """Source nodes as passages: node ids are kept, titles come from the metadata.

    A title is ``title``, else the name of a file or page (``file_name``, ``source``, ``url`` ...; never a whole path).

    Answers that an engine generated on its way, such as those of a SubQuestionQueryEngine, are left out.
    """
    passages: list[Passage] = []
    seen: set[str] = set()
    for number, scored in enumerate(nodes, 1):
        if is_sub_answer(scored):
            continue
        ident = scored.node.node_id
        if not ident or ident in seen:
            ident = f"{ident}#{number}"
        seen.add(ident)
        passages.append(Passage(id=ident, text=scored.node.get_content(), title=title_of(scored.node.metadata)))
    return passages
