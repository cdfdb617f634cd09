"""One round of batches: sent, waited for and read; what failed in it is asked once more by ordinary calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from uuid import uuid4

from guardrail.engines.llm.batches.service import BatchService, BatchSettings
from guardrail.engines.llm.batches.state import BatchState, OpenBatch
from guardrail.engines.llm.protocol import Completion, LLMError, Prompt, Replies, Reply, Round
from guardrail.types import Cause

Ordinary = Callable[[Round], Replies]
"""Asks prompts one by one, with retries."""

_FEW = 20
"""Requests that may be asked again at full price, however small the batch was."""

_ATTEMPTS = 6
"""Times that sending a batch, or reading its results, is tried."""

_GROWTH = 1.5
_FIRST_WAIT = 1.0


class Rounds:
    """Makes the calls of many answers, round by round.

    Args:
        service: The batch endpoint.
        ordinary: Makes ordinary calls.
        state: What is known already.
        settings: See BatchSettings.
    """

    def __init__(self, service: BatchService, ordinary: Ordinary, state: BatchState, settings: BatchSettings) -> None:
        self._service, self._ordinary, self._state, self._settings = service, ordinary, state, settings
        self._tried = False
        self._again: set[str] = set()  # failures that another call may mend, and does not pay for twice
        self.failures: dict[str, LLMError] = {}

    def reply(self, key: str) -> Reply | None:
        """What came of a request; None = it was not asked yet."""
        return self._state.reply(key) or self.failures.get(key)

    def resolve(self, wanted: Mapping[str, Prompt]) -> None:
        """Afterwards each of these requests has a reply or a failure."""
        until = time.monotonic() + self._settings.wait
        try:
            for batch in self._state.open_batches(self._service.address):
                self._go_on(batch, until)
            if (left := self._left(wanted)) and not self._tried:
                self._try_one(left)
            sent = [self._send(lines) for lines in self._files(self._left(wanted))]
            for batch in [each for each in sent if each is not None]:
                self._collect(batch, until)
        except KeyboardInterrupt:
            self._settings.tell("stopped; what was sent goes on at the provider. Start the same once more to go on.")
            raise
        self._ask_again({key: prompt for key, prompt in wanted.items() if key in self._again}, len(wanted))

    def _left(self, wanted: Mapping[str, Prompt]) -> dict[str, Prompt]:
        return {key: prompt for key, prompt in wanted.items() if self.reply(key) is None}

    def _go_on(self, batch: OpenBatch, until: float) -> None:
        """A batch of an earlier start."""
        if batch.id is None:
            found = self._found(batch)
            if found is None:
                self._state.end(batch.intent)
                return
            batch = replace(batch, id=found)
            self._state.submitted(batch.intent, found)
        self._settings.tell(f"batch {batch.id}: sent by an earlier start, {len(batch.keys)} requests")
        self._collect(batch, until)

    def _found(self, batch: OpenBatch) -> str | None:
        for wait in self._waits(_ATTEMPTS):
            try:
                return self._service.find(batch.intent, batch.keys, batch.made)
            except LLMError as error:
                if not error.retryable:
                    return None
                time.sleep(max(wait, error.retry_after or 0.0))
        return None

    def _try_one(self, left: Mapping[str, Prompt]) -> None:
        """One ordinary call shows what the endpoint understands, and that the key is right, before a file is sent."""
        self._tried = True
        key, prompt = next(iter(left.items()))
        (reply,) = self._ordinary((prompt,))
        if isinstance(reply, Completion):
            self._state.keep({key: reply})
        elif reply.cause is Cause.REPLY:
            self.failures[key] = reply
        elif not reply.retryable:
            self.failures |= dict.fromkeys(left, reply)

    def _files(self, left: Mapping[str, Prompt]) -> Iterator[dict[str, bytes]]:
        """The requests as lines, as many as a batch may hold."""
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

    def _send(self, lines: Mapping[str, bytes]) -> OpenBatch | None:
        batch = OpenBatch(intent=uuid4().hex, id=None, made=time.time(), keys=frozenset(lines))
        self._state.begin(batch.intent, self._service.address, lines)
        failed = LLMError("the batch could not be sent")
        for wait in self._waits(_ATTEMPTS):
            try:
                ident = self._service.submit(list(lines.values()), batch.intent)
            except LLMError as error:
                failed = error
                if not error.retryable:
                    break
                time.sleep(max(wait, error.retry_after or 0.0))
                found = self._found(batch)  # the reply may have been lost, not the batch
                if found is None:
                    continue
                ident = found
            self._state.submitted(batch.intent, ident)
            self._settings.tell(f"batch {ident}: {len(lines)} requests sent")
            return replace(batch, id=ident)
        self._state.end(batch.intent)
        self.failures |= dict.fromkeys(lines, LLMError(f"the batch was not taken: {failed}", cause=failed.cause))
        return None

    def _collect(self, batch: OpenBatch, until: float) -> None:
        """Wait for a batch and keep what came of it."""
        try:
            failed = self._wait(batch, until)
            replies = {} if failed else self._results(batch)
        except LLMError as error:  # it may still come: the state keeps it for the next start
            self.failures |= {key: error for key in batch.keys if self.reply(key) is None}
            return
        final = {key: reply for key, reply in replies.items() if _is_final(reply)}
        lost = LLMError(failed or "the batch holds no result for this request that can be read", cause=Cause.REPLY)
        open_ = {key: replies.get(key, lost) for key in batch.keys - final.keys()}
        self._state.keep(final)
        self._state.end(batch.intent)
        self.failures |= {key: reply for key, reply in open_.items() if isinstance(reply, LLMError)}
        self._again |= open_.keys()
        self._settings.tell(f"batch {batch.id}: {len(final)} of {len(batch.keys)} requests answered")

    def _wait(self, batch: OpenBatch, until: float) -> str:
        """Why the batch failed as a whole once it has ended; "" = it did not."""
        told = -1
        for pause in self._waits(None):
            asked = 0.0
            try:
                seen = self._service.progress(batch.id or "")
            except LLMError as error:
                if not error.retryable:
                    raise
                asked = error.retry_after or 0.0
            else:
                if seen.ended:
                    return seen.failed
                if seen.done != told:
                    told = seen.done
                    self._settings.tell(f"batch {batch.id}: {seen.done} of {seen.total} requests done")
            if time.monotonic() + max(pause, asked) > until:
                raise LLMError("the batch did not end in the time to wait for it", cause=Cause.TIMEOUT)
            time.sleep(max(pause, asked))
        raise AssertionError("waits do not end")

    def _results(self, batch: OpenBatch) -> dict[str, Reply]:
        failed = LLMError("the results could not be read")
        for wait in self._waits(_ATTEMPTS):
            try:
                found: dict[str, Reply] = {}
                for key, reply in self._service.results(batch.id or ""):
                    if key in batch.keys and not isinstance(found.get(key), Completion):
                        found[key] = reply
            except LLMError as error:
                failed = error
                if not error.retryable:
                    raise
                time.sleep(max(wait, error.retry_after or 0.0))
            else:
                return found
        raise failed

    def _ask_again(self, failed: Mapping[str, Prompt], asked: int) -> None:
        """What failed in a batch, once more by ordinary calls; unless it is so much that nobody meant to pay it."""
        self._again.clear()
        share = self._settings.retry_share
        if not failed:
            return
        if len(failed) > (max(_FEW, int(asked * share)) if share else 0):
            self._settings.tell(
                f"{len(failed)} of {asked} requests failed, too many to ask again at full price. "
                "Start the same once more to put them into a new batch."
            )
            return
        self._settings.tell(f"{len(failed)} requests failed in the batch and are asked by ordinary calls")
        for key, reply in zip(failed, self._ordinary(tuple(failed.values())), strict=True):
            if isinstance(reply, Completion):
                self._state.keep({key: replace(reply, calls=reply.calls + 1)})
                del self.failures[key]
            else:
                self.failures[key] = reply

    def _waits(self, count: int | None) -> Iterator[float]:
        """Seconds, longer each time up to the longest."""
        seconds = min(_FIRST_WAIT, self._settings.longest_poll)
        while count is None or count > 0:
            yield seconds
            seconds = min(seconds * _GROWTH, self._settings.longest_poll)
            count = None if count is None else count - 1


def _is_final(reply: Reply) -> bool:
    """Whether it was paid for and would come again: a text, or a refusal."""
    return isinstance(reply, Completion) or (reply.spent is not None and not reply.retryable)
