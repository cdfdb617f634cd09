"""Anthropic's message batches.

Source: https://platform.claude.com/docs/en/build-with-claude/batch-processing
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from guardrail.engines.llm.batches.lines import read_lines
from guardrail.engines.llm.batches.provider import LISTED, TIMEOUT, asked, at_half_price, progress_without, unanswered
from guardrail.engines.llm.batches.service import Progress
from guardrail.engines.llm.models.messages import read_message
from guardrail.engines.llm.protocol import LLMError, Prompt, Reply
from guardrail.types import Cause

if TYPE_CHECKING:
    import httpx

_PATH = "/v1/messages/batches"
_DONE = ("succeeded", "errored", "canceled", "expired")
_SKEW = 600.0
"""Seconds by which the provider's clock may be behind ours."""

_IDENT = re.compile(r"[A-Za-z0-9_-]+")  # it becomes part of an address


class Endpoint(Protocol):
    """What batches need of an AnthropicLLM."""

    address: str

    def body(self, prompt: Prompt) -> dict[str, Any]:
        """A request as the endpoint is known to understand it."""
        ...

    def request(self, method: str, path: str, body: object, timeout: float | None) -> httpx.Response:
        """One request; an error where its status is no success."""
        ...


class AnthropicBatches:
    """Batches of an AnthropicLLM."""

    most_lines = 100_000
    most_bytes = 240_000_000

    def __init__(self, llm: Endpoint) -> None:
        self._llm = llm
        self.address = f"anthropic {llm.address}"

    def line(self, ident: str, prompt: Prompt) -> bytes:
        """See BatchService.line."""
        return json.dumps({"custom_id": ident, "params": self._llm.body(prompt)}).encode()

    def submit(self, lines: Sequence[bytes], intent: str) -> str:  # noqa: ARG002  this endpoint keeps no names
        """See BatchService.submit."""
        made = self._asked("POST", "", {"requests": [json.loads(line) for line in lines]})
        ident = made.get("id")
        if not isinstance(ident, str) or not _IDENT.fullmatch(ident):
            raise LLMError("the batch endpoint's reply has no id", retryable=True, cause=Cause.REPLY)
        return ident

    def progress(self, batch: str) -> Progress:
        """See BatchService.progress."""
        try:
            seen = self._asked("GET", f"/{batch}", None)
        except LLMError as error:
            return progress_without(error)
        counts = _counts(seen)
        done = sum(counts.get(name, 0) for name in _DONE)
        return Progress(ended=seen.get("processing_status") == "ended", done=done, total=sum(counts.values()))

    def results(self, batch: str) -> Iterator[tuple[str, Reply]]:
        """See BatchService.results.

        They are read at the address that the documentation gives; ``results_url`` is not followed, for the key goes
        along with the request.
        """
        data = asked(lambda: self._llm.request("GET", f"{_PATH}/{batch}/results", None, TIMEOUT).content)
        for line in read_lines(data):
            yield line["custom_id"], _read(line.get("result"))

    def find(
        self,
        intent: str,  # noqa: ARG002
        idents: Collection[str],
        since: float,
        known: Collection[str],
    ) -> str | None:
        """See BatchService.find: the batches of that time and size, told by the ids of what they asked.

        The endpoint shows those ids only with the results, so a batch of that time and size that is under way is taken
        for ours; were it another's, its results hold none of our ids, and it is forgotten (see Rounds).
        """
        page = self._asked("GET", f"?limit={LISTED}", None)
        listed = page.get("data")
        for batch in listed if isinstance(listed, list) else ():
            if not isinstance(batch, dict) or not isinstance(ident := batch.get("id"), str):
                continue
            if ident in known or not _IDENT.fullmatch(ident) or _made(batch) < since - _SKEW:
                continue
            if sum(_counts(batch).values()) != len(idents):
                continue
            if batch.get("processing_status") != "ended" or any(key in idents for key, _ in self.results(ident)):
                return ident
        return None

    def _asked(self, method: str, path: str, body: object) -> dict[str, Any]:
        made = asked(lambda: self._llm.request(method, _PATH + path, body, TIMEOUT).json())
        return made if isinstance(made, dict) else {}


def _counts(batch: Mapping[str, Any]) -> dict[str, int]:
    counts = batch.get("request_counts")
    return {k: v for k, v in counts.items() if isinstance(v, int)} if isinstance(counts, dict) else {}


def _made(batch: Mapping[str, Any]) -> float:
    """``time.time()`` at which the provider made it; now and ever where it does not say."""
    try:
        return datetime.fromisoformat(str(batch.get("created_at"))).timestamp()
    except ValueError:
        return float("inf")


def _read(result: object) -> Reply:
    kind = result.get("type") if isinstance(result, dict) else None
    if kind == "succeeded" and isinstance(result, dict):
        return at_half_price(lambda: read_message(result.get("message")))
    known = kind if kind in {"errored", "canceled"} else "no result"
    return unanswered(expired=kind == "expired", why=f" ({known})")
