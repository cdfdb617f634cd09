"""The text of a LlamaIndex response, and the response that is delivered in its place."""

from __future__ import annotations

import asyncio

from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from pydantic import BaseModel

from guardrail import GuardedAnswer
from guardrail.check.intake import lines_of
from guardrail_llamaindex.verdict import KEY, told

RESPONSES = (Response, PydanticResponse, StreamingResponse, AsyncStreamingResponse)


def text_of(response: RESPONSE_TYPE) -> str:
    """The answer's text; None (nothing was found) is an empty answer, an object its values, one a line.

    Drains a StreamingResponse; it stays readable through ``str(response)``.
    """
    if isinstance(response, StreamingResponse):
        response = response.get_response()
    answer = getattr(response, "response", None)
    if isinstance(answer, BaseModel):
        return "\n".join(lines_of(answer.model_dump(mode="json")))
    return "" if answer is None else str(answer)


async def atext_of(response: RESPONSE_TYPE) -> str:
    """The same for a response that may have to be awaited."""
    if isinstance(response, AsyncStreamingResponse):
        return text_of(await response.get_response())
    if isinstance(response, StreamingResponse):  # its generator waits for a model
        return await asyncio.to_thread(text_of, response)
    return text_of(response)


def delivered(response: RESPONSE_TYPE, guarded: GuardedAnswer, *, sealed: bool) -> RESPONSE_TYPE:
    """A new response: the delivered text, the same source nodes and metadata, and the verdict.

    An object keeps its shape where its text is delivered unchanged; else a plain Response stands in its place.
    """
    metadata = {**(response.metadata or {}), KEY: told(guarded, sealed=sealed)}
    if isinstance(response, PydanticResponse) and guarded.text == text_of(response):
        return PydanticResponse(response.response, response.source_nodes, metadata)
    return Response(guarded.text, response.source_nodes, metadata)
