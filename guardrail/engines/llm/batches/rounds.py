"""One round of batches: sent, waited for and read; what failed in it is asked once more by ordinary calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from guardrail.engines.llm.batches.sending import ATTEMPTS, NotSentError, Sender, waits
from guardrail.engines.llm.batches.service import BatchService, BatchSettings
from guardrail.engines.llm.batches.state import BatchState, OpenBatch
from guardrail.engines.llm.protocol import Completion, LLMError, Prompt, Replies, Reply, Round
from guardrail.types import Cause

Ordinary = Callable[[Round], Replies]
"""Asks prompts one by one, with retries."""

_FEW = 20
"""Requests that may be asked again at full price, however small the batch was."""


_CLOSED = ("HTTP 401", "HTTP 403", "HTTP 404", "insufficient_quota", "billing_hard_limit_reached", "model_not_found")
"""What an error says that holds for all requests."""


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
        self._sender = Sender(service, state, settings)
        self._tried = False
        self._closed: LLMError | None = None  # why the endpoint takes nothing from us
        self._again: set[str] = set()  # failures that another call may mend, and does not pay for twice
        self._given_up: set[str] = set()  # batches that this start does not wait for any more
        self.failures: dict[str, LLMError] = {}

    def reply(self, key: str) -> Reply | None:
        """What came of a request; None = it was not asked yet."""
        return self._state.reply(key) or self.failures.get(key)

    def resolve(self, wanted: Mapping[str, Prompt]) -> None:
        """Afterwards each of these requests has a reply or a failure."""
        until = time.monotonic() + self._settings.wait
        try:
            for batch in self._state.open_batches(self._service.address):
                if batch.intent not in self._given_up:
                    self._go_on(batch, until)
            if (left := self._left(wanted)) and not self._tried:
                self._try_one(left)
            if self._closed is not None:
                self.failures |= dict.fromkeys(self._left(wanted), self._closed)
            for _ in range(ATTEMPTS):  # more than once only where somebody else's batch was taken for ours
                sent = [self._sent(lines) for lines in self._sender.files(self._left(wanted))]
                for batch in [each for each in sent if each is not None]:
                    self._collect(batch, until)
            lost = LLMError("the batch was not found again after it was sent", cause=Cause.ENGINE)
            self.failures |= dict.fromkeys(self._left(wanted), lost)
        except KeyboardInterrupt:
            self._settings.tell("stopped; what was sent goes on at the provider. Start the same once more to go on.")
            raise
        self._ask_again({key: prompt for key, prompt in wanted.items() if key in self._again}, len(wanted))

    def _left(self, wanted: Mapping[str, Prompt]) -> dict[str, Prompt]:
        return {key: prompt for key, prompt in wanted.items() if self.reply(key) is None}

    def _go_on(self, batch: OpenBatch, until: float) -> None:
        """A batch of an earlier start, or one whose time to wait for it was over."""
        try:
            ident = batch.id or self._sender.found(batch)
        except LLMError as error:  # it may have arrived: asked again it could be paid twice
            self._fail(batch, error)
            return
        if ident is None:
            self._state.end(batch.intent)
            return
        self._state.submitted(batch.intent, ident)
        self._settings.tell(f"batch {ident}: sent by an earlier start, {len(batch.keys)} requests")
        self._collect(replace(batch, id=ident), until)

    def _sent(self, lines: Mapping[str, bytes]) -> OpenBatch | None:
        try:
            return self._sender.send(lines)
        except NotSentError as error:
            if error.unsure is not None:
                self._given_up.add(error.unsure.intent)
            self.failures |= dict.fromkeys(lines, error)
            return None

    def _fail(self, batch: OpenBatch, error: LLMError) -> None:
        """Nothing came of the batch in this start; the state keeps it for the next one."""
        self._given_up.add(batch.intent)
        self.failures |= {key: error for key in batch.keys if self.reply(key) is None}

    def _try_one(self, left: Mapping[str, Prompt]) -> None:
        """One ordinary call shows what the endpoint understands, and that the key is right, before a file is sent."""
        self._tried = True
        key, prompt = next(iter(left.items()))
        (reply,) = self._ordinary((prompt,))
        if isinstance(reply, Completion):
            self._state.keep({key: reply})
        elif any(word in str(reply) for word in _CLOSED):
            self._closed = reply
        elif not reply.retryable:
            self.failures[key] = reply

    def _collect(self, batch: OpenBatch, until: float) -> None:
        """Wait for a batch and keep what came of it."""
        try:
            failed = self._wait(batch, until)
            replies = {} if failed else self._results(batch)
        except LLMError as error:  # it may still come
            self._fail(batch, error)
            return
        if replies is None:
            self._settings.tell(f"batch {batch.id}: it is somebody else's; ours is looked for, or sent again")
            self._sender.forget(batch)
            self._go_on(replace(batch, id=None), until)
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
        for pause in waits(self._settings, None):
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

    def _results(self, batch: OpenBatch) -> dict[str, Reply] | None:
        """What came of its requests; None where it is somebody else's batch: it holds results, and none of ours."""
        failed = LLMError("the results could not be read")
        for wait in waits(self._settings, ATTEMPTS):
            try:
                found: dict[str, Reply] = {}
                strange = False
                for key, reply in self._service.results(batch.id or ""):
                    if key in batch.keys and not isinstance(found.get(key), Completion):
                        found[key] = reply
                    strange = strange or key not in batch.keys
            except LLMError as error:
                failed = error
                if not error.retryable:
                    raise
                time.sleep(max(wait, error.retry_after or 0.0))
            else:
                return None if strange and not found and not batch.sure else found
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


def _is_final(reply: Reply) -> bool:
    """Whether it was paid for and would come again: a text, or a refusal."""
    return isinstance(reply, Completion) or (reply.spent is not None and not reply.retryable)
