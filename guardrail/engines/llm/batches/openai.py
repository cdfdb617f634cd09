"""OpenAI's batch endpoint: a file of requests, a batch over it, a file of results and one of errors.

Source: https://platform.openai.com/docs/api-reference/batch
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from guardrail.engines.llm.batches.lines import read_lines
from guardrail.engines.llm.batches.provider import LISTED, TIMEOUT, asked, at_half_price, progress_without, unanswered
from guardrail.engines.llm.batches.service import Progress
from guardrail.engines.llm.models.capabilities import read_reply
from guardrail.engines.llm.protocol import LLMError, Prompt, Reply
from guardrail.types import Cause

if TYPE_CHECKING:
    from openai import OpenAI

_PATH: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_NAME = "guardrail"  # of the metadata that holds our own name of a batch
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


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
        client = self._llm.client(TIMEOUT)
        data = b"\n".join(lines) + b"\n"
        file = asked(lambda: client.files.create(file=(f"{intent}.jsonl", data), purpose="batch"))
        return _ident(
            asked(
                lambda: client.batches.create(
                    input_file_id=_ident(file), endpoint=_PATH, completion_window="24h", metadata={_NAME: intent}
                )
            )
        )

    def progress(self, batch: str) -> Progress:
        """See BatchService.progress."""
        try:
            seen = asked(lambda: self._llm.client(TIMEOUT).batches.retrieve(batch))
        except LLMError as error:
            return progress_without(error)
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
        client = self._llm.client(TIMEOUT)
        seen = asked(lambda: client.batches.retrieve(batch))
        for name in ("output_file_id", "error_file_id"):
            file = getattr(seen, name, None)
            if isinstance(file, str) and file:
                for line in read_lines(asked(lambda: client.files.content(file).content)):  # noqa: B023  called at once
                    yield line["custom_id"], _read(line)

    def find(
        self,
        intent: str,
        idents: Collection[str],  # noqa: ARG002
        since: float,  # noqa: ARG002
        known: Collection[str],  # noqa: ARG002
    ) -> str | None:
        """See BatchService.find: by our name in the metadata, among the latest."""
        page = asked(lambda: self._llm.client(TIMEOUT).batches.list(limit=LISTED))
        for batch in getattr(page, "data", None) or ():
            if (getattr(batch, "metadata", None) or {}).get(_NAME) == intent:
                return _ident(batch)
        return None


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
        return unanswered(expired=code == "batch_expired")
    status = response.get("status_code")
    if status != 200:
        return unanswered(expired=False, why=f" (HTTP {status})")
    from openai.types.chat import ChatCompletion

    try:
        return at_half_price(lambda: read_reply(ChatCompletion.construct(**response["body"]), 1))
    except Exception as error:
        return LLMError(f"the batch's result is no chat completion ({type(error).__name__})", cause=Cause.REPLY)
