"""Requests written into batches and sent, so that a batch whose reply was lost is not sent twice."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from uuid import uuid4

from guardrail.engines.llm.batches.service import BatchService, BatchSettings
from guardrail.engines.llm.batches.state import BatchState, OpenBatch
from guardrail.engines.llm.protocol import LLMError, Prompt
from guardrail.types import Cause

ATTEMPTS = 6
"""Times that sending a batch, or reading its results, is tried."""

_FIRST_WAIT = 1.0
_GROWTH, _FAST_GROWTH = 1.5, 3.0
"""Of the wait between two looks at a batch, and between two attempts to send it: limits of a minute must pass."""


_TURNED_AWAY = frozenset({429, 529})
"""HTTP statuses after which nothing has arrived."""


class NotSentError(LLMError):
    """A batch could not be sent; ``unsure``: or it arrived and nobody knows."""

    def __init__(self, why: str, *, cause: Cause, unsure: OpenBatch | None = None) -> None:
        super().__init__(why, cause=cause)
        self.unsure = unsure


class Sender:
    """Sends batches and finds those whose sending was broken off.

    Args:
        service: The batch endpoint.
        state: Learns of each batch before it is sent.
        settings: See BatchSettings.
    """

    def __init__(self, service: BatchService, state: BatchState, settings: BatchSettings) -> None:
        self._service, self._state, self._settings = service, state, settings
        self._strangers: set[str] = set()

    def forget(self, batch: OpenBatch) -> None:
        """This id turned out to be that of somebody else's batch."""
        self._strangers.add(batch.id or "")

    def files(self, left: Mapping[str, Prompt]) -> Iterator[dict[str, bytes]]:
        """The requests as lines by their ids, as many as a batch may hold."""
        lines: dict[str, bytes] = {}
        size = 0
        for key, prompt in left.items():
            line = self._service.line(key, prompt)
            if lines and (len(lines) >= self._service.most_lines or size + len(line) >= self._service.most_bytes):
                yield lines
                lines, size = {}, 0
            lines[key] = line
            size += len(line) + 1
        if lines:
            yield lines

    def send(self, lines: Mapping[str, bytes]) -> OpenBatch:
        """A batch of these requests, with its id.

        Raises:
            NotSentError: it was not taken, or nobody knows whether it was.
        """
        batch = OpenBatch(intent=uuid4().hex, id=None, made=time.time(), keys=frozenset(lines))
        self._state.begin(batch.intent, self._service.address, lines)
        failed = LLMError("it was not tried")
        for pause in waits(self._settings, ATTEMPTS, _FAST_GROWTH):
            sure = True
            try:
                ident: str | None = self._service.submit(list(lines.values()), batch.intent)
            except LLMError as error:
                failed = error
                if not error.retryable:
                    break
                time.sleep(max(pause, error.retry_after or 0.0))
                sure = False
                ident = None if error.status in _TURNED_AWAY else self._arrived(batch)
            if ident is not None:
                self._state.submitted(batch.intent, ident)
                self._settings.tell(f"batch {ident}: {len(lines)} requests sent")
                return replace(batch, id=ident, sure=sure)
        self._state.end(batch.intent)
        raise NotSentError(f"the batch was not taken: {failed}", cause=failed.cause)

    def _arrived(self, batch: OpenBatch) -> str | None:
        """Its id, if only the reply to its sending was lost."""
        try:
            return self.found(batch)
        except LLMError as error:
            raise NotSentError(str(error), cause=error.cause, unsure=batch) from None

    def found(self, batch: OpenBatch) -> str | None:
        """The id of a batch whose sending was broken off; None = it never arrived.

        Raises:
            LLMError: nobody can tell.
        """
        failed = LLMError("nobody knows whether the batch arrived")
        known = self._strangers | self._state.others(batch.intent)
        for pause in waits(self._settings, ATTEMPTS):
            try:
                return self._service.find(batch.intent, batch.keys, batch.made, known)
            except LLMError as error:
                failed = error
                if not error.retryable:
                    break
                time.sleep(max(pause, error.retry_after or 0.0))
        raise failed


def waits(settings: BatchSettings, count: int | None, growth: float = _GROWTH) -> Iterator[float]:
    """Seconds, longer each time up to the longest; ``count`` of them, None = without end."""
    seconds = min(_FIRST_WAIT, settings.longest_poll)
    while count is None or count > 0:
        yield seconds
        seconds = min(seconds * growth, settings.longest_poll)
        count = None if count is None else count - 1
