"""OpenAI's batch endpoint: a file of requests, a batch over it, a file of results and one of errors.

Source: https://platform.openai.com/docs/api-reference/batch
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from guardrail.engines.llm.batches.lines import read_lines
from guardrail.engines.llm.batches.service import HALF, Progress
from guardrail.engines.llm.models.capabilities import read_reply
from guardrail.engines.llm.protocol import LLMError, Prompt, Reply
from guardrail.engines.llm.requests.failures import failure
from guardrail.types import Cause

if TYPE_CHECKING:
    from openai import OpenAI

T = TypeVar("T")

_PATH: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_TIMEOUT = 300.0
"""Seconds for one request: a file of 200 MB takes its time."""

_NAME = "guardrail"  # of the metadata that holds our own name of a batch
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_LISTED = 100
_LOST = "HTTP 404"


class Endpoint(Protocol):
    """What batches need of an OpenAILLM."""

    @property
    def address(self) -> str:
        """The endpoint, without what may be secret in it."""
        ...

    def body(self, prompt: Prompt) -> dict[str, Any]:
        """A request as the endpoint is known to understand it."""
        ...

    def client(self, timeout: float) -> OpenAI:
        """The vendor's client, with that many seconds for a request."""
        ...


class OpenAIBatches:
    """Batches of an OpenAILLM."""

    most_lines = 50_000
    most_bytes = 190_000_000

    def __init__(self, llm: Endpoint) -> None:
        self._llm = llm
        self.address = f"openai {llm.address}"

    def line(self, ident: str, prompt: Prompt) -> bytes:
        """See BatchService.line."""
        body = self._llm.body(prompt)
        return json.dumps({"custom_id": ident, "method": "POST", "url": _PATH, "body": body}).encode()

    def submit(self, lines: Sequence[bytes], intent: str) -> str:
        """See BatchService.submit."""
        client = self._llm.client(_TIMEOUT)
        data = b"\n".join(lines) + b"\n"
        file = _asked(lambda: client.files.create(file=(f"{intent}.jsonl", data), purpose="batch"))
        return _ident(
            _asked(
                lambda: client.batches.create(
                    input_file_id=_ident(file), endpoint=_PATH, completion_window="24h", metadata={_NAME: intent}
                )
            )
        )

    def progress(self, batch: str) -> Progress:
        """See BatchService.progress."""
        try:
            seen = _asked(lambda: self._llm.client(_TIMEOUT).batches.retrieve(batch))
        except LLMError as error:
            if _LOST not in str(error):
                raise
            return Progress(ended=True, done=0, total=0, failed="the provider knows the batch no more")
        counts = getattr(seen, "request_counts", None)
        done = sum(getattr(counts, name, None) or 0 for name in ("completed", "failed"))
        status = getattr(seen, "status", None)
        failed = ""
        if status == "failed":
            first = next(iter(getattr(getattr(seen, "errors", None), "data", None) or ()), None)
            failed = f"the batch was refused ({getattr(first, 'code', None) or 'no reason given'})"
        return Progress(ended=status in _ENDED, done=done, total=getattr(counts, "total", None) or 0, failed=failed)

    def results(self, batch: str) -> Iterator[tuple[str, Reply]]:
        """See BatchService.results."""
        client = self._llm.client(_TIMEOUT)
        seen = _asked(lambda: client.batches.retrieve(batch))
        for name in ("output_file_id", "error_file_id"):
            file = getattr(seen, name, None)
            if isinstance(file, str) and file:
                for line in read_lines(_asked(lambda: client.files.content(file).content)):  # noqa: B023  called at once
                    yield line["custom_id"], _read(line)

    def find(
        self,
        intent: str,
        idents: Collection[str],  # noqa: ARG002
        since: float,  # noqa: ARG002
        known: Collection[str],  # noqa: ARG002
    ) -> str | None:
        """See BatchService.find: by our name in the metadata, among the latest."""
        page = _asked(lambda: self._llm.client(_TIMEOUT).batches.list(limit=_LISTED))
        for batch in getattr(page, "data", None) or ():
            if (getattr(batch, "metadata", None) or {}).get(_NAME) == intent:
                return _ident(batch)
        return None


def _asked(call: Callable[[], T]) -> T:
    try:
        return call()
    except Exception as error:
        raise failure(error) from None


def _ident(made: object) -> str:
    ident = getattr(made, "id", None)
    if not isinstance(ident, str) or not ident:
        raise LLMError("the batch endpoint's reply has no id", retryable=True, cause=Cause.REPLY)
    return ident


def _read(line: Mapping[str, Any]) -> Reply:
    response = line.get("response")
    if not isinstance(response, dict):
        error = line.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        late = code == "batch_expired"
        why = "the batch expired before this request was answered" if late else "the request failed in the batch"
        return LLMError(why, retryable=True, cause=Cause.TIMEOUT if late else Cause.ENGINE)
    status = response.get("status_code")
    if status != 200:
        return LLMError(f"the request failed in the batch (HTTP {status})", retryable=True, cause=Cause.ENGINE)
    from openai.types.chat import ChatCompletion

    try:
        return replace(read_reply(ChatCompletion.construct(**response["body"]), 1), price_share=HALF)
    except LLMError as error:
        if error.spent is not None:
            error.spent = replace(error.spent, price_share=HALF)
        return error
    except Exception as error:
        return LLMError(f"the batch's result is no chat completion ({type(error).__name__})", cause=Cause.REPLY)
