"""Answers worked on until they need a reply that is not there; then all that they wait for is asked in one batch.

Nothing of an answer is held over: it is worked on from the start again, with the replies that have come by then, so
that a run that was killed goes on in the same way as one that was not.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import TypeVar

from guardrail.check.threads import in_order
from guardrail.engines.llm.batches.rounds import Ordinary, Rounds
from guardrail.engines.llm.batches.service import BatchService, BatchSettings
from guardrail.engines.llm.batches.state import BatchState
from guardrail.engines.llm.caches.memory import Cache
from guardrail.engines.llm.protocol import Prompt, Reply
from guardrail.engines.llm.reply_memory import digest
from guardrail.errors import UsageError

_log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")

WAVE = 10_000
"""Answers that wait together; they and their results lie in memory until they are done."""


class NotYetError(BaseException):
    """The answer waits for a reply. No Exception: it passes by all that makes a verdict of a failure."""


@dataclass(slots=True)
class _Run:
    """One answer worked on once: how often it asked each prompt, and what is to be remembered if it gets to its end."""

    asked: Counter[str] = field(default_factory=Counter)
    writes: dict[str, tuple[Cache, str]] = field(default_factory=dict)


_run: ContextVar[_Run | None] = ContextVar("guardrail_batch_run", default=None)


@dataclass(frozen=True, slots=True)
class HeldCache:
    """A cache that learns of answers only once their wave is done: what it learned before would change what is asked.

    An answer sees what it wrote itself; beside it the cache is as it was when the wave began.
    """

    cache: Cache

    def get(self, key: str) -> str | None:
        """See Cache.get."""
        run = _run.get()
        held = None if run is None else run.writes.get(key)
        return self.cache.get(key) if held is None else held[1]

    def set(self, key: str, value: str) -> None:
        """See Cache.set."""
        run = _run.get()
        if run is None:
            self.cache.set(key, value)
            return
        run.writes[key] = (self.cache, value)


class Gatherer:
    """Shared by the answers of one engine.

    Args:
        model: Name of the model.
        service: Its batch endpoint.
        ordinary: Makes ordinary calls, for what batches failed at.
        settings: See BatchSettings.
    """

    def __init__(self, model: str, service: BatchService, ordinary: Ordinary, settings: BatchSettings) -> None:
        self._model, self._service, self._ordinary, self._settings = model, service, ordinary, settings
        self._wanted: dict[str, Prompt] = {}
        self._rounds: Rounds | None = None
        self._lock = Lock()

    @property
    def gathers(self) -> bool:
        """Whether the answer of this context is one of ``in_order``; calls of others are made as usual."""
        return self._rounds is not None and _run.get() is not None

    def ask(self, prompt: Prompt) -> Reply | None:
        """The reply; None = there is none yet, and it is asked in the next batch."""
        run, rounds = _run.get(), self._rounds
        if run is None or rounds is None:
            raise RuntimeError("no answer is gathered here")
        said = (prompt.identity, prompt.system, prompt.user, prompt.schema, prompt.max_tokens)
        same = digest(self._service.address, self._model, *said)
        run.asked[same] += 1
        key = digest(same, run.asked[same])
        reply = rounds.reply(key)
        if reply is None:
            with self._lock:
                self._wanted[key] = prompt
        return reply

    def in_order(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """``work`` of each item, in the order of the items; calls of all are made together, round by round.

        Raises:
            UsageError: the state file cannot be used, or the engine gathers already.
        """
        with self._opened():
            left = iter(items)
            while wave := tuple(islice(left, WAVE)):
                yield from self._wave(work, wave)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        if self._rounds is not None:
            raise UsageError("this engine's batches are at work for other answers. Give each its engine and state.")
        state = BatchState(self._settings.state)
        rounds = self._rounds = Rounds(self._service, self._ordinary, state, self._settings)
        whole = False
        try:
            yield
            whole = not rounds.failures
        finally:
            self._rounds = None
            self._wanted.clear()
            state.close(remove=whole)

    def _wave(self, work: Callable[[T], R], items: tuple[T, ...]) -> Iterator[R]:
        done: dict[int, R] = {}
        runs: dict[int, _Run] = {}
        due = 0
        todo = list(range(len(items)))
        while todo:
            for number, results in zip(
                todo, in_order(lambda n: _attempt(work, items[n]), todo, self._settings.at_once), strict=True
            ):
                if results:
                    done[number], runs[number] = results[0]
            while due in done:
                yield done.pop(due)
                due += 1
            todo = [number for number in todo if number >= due and number not in done]
            if todo and self._rounds is not None:
                wanted, self._wanted = self._wanted, {}
                self._rounds.resolve(wanted)
        for number in sorted(runs):  # not where the wave was broken off: it is worked on again from the state
            _remember(runs[number].writes)


def _remember(writes: dict[str, tuple[Cache, str]]) -> None:
    try:
        for key, (cache, value) in writes.items():
            cache.set(key, value)
    except Exception as error:  # somebody's cache must not cost a verdict
        _log.warning("the cache failed", exc_info=error)


def _attempt(work: Callable[[T], R], item: T) -> tuple[tuple[R, _Run], ...]:
    """What came of the item, or nothing where it waits for a reply."""
    run = _Run()
    token = _run.set(run)
    try:
        result = work(item)
    except NotYetError:
        return ()
    finally:
        _run.reset(token)
    return ((result, run),)
