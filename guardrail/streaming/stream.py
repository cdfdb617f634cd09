"""Guarded streams for sync and async callers: drive a plan, read the source, call the guard. No logic of modes here."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from guardrail.check.intake import PassageLike, read_passages, read_question
from guardrail.errors import UsageError, did_you_mean
from guardrail.policy.policy import Policy
from guardrail.repair.generators import Generator as Regenerator
from guardrail.streaming.ahead import Ahead, read_delta
from guardrail.streaming.events import MODES, Checked, Delta, Finished, Mode, StreamEvent, Withheld
from guardrail.streaming.memory import AsyncRemembering, Memory, Remembering
from guardrail.streaming.sentence import Sentences
from guardrail.streaming.steps import CheckAll, CheckSome, Depends, Enough, Fetch, Mend, More, Plan, Reply, Step
from guardrail.streaming.whole import buffered, observed
from guardrail.telemetry import Observation, joined
from guardrail.types import Passage

if TYPE_CHECKING:
    from guardrail.guard import Guard

PassageSource = Iterable[PassageLike] | Callable[[], Iterable[PassageLike] | Awaitable[Iterable[PassageLike]]]
"""Passages, or a callable that returns them: called once, when the first text must be checked."""

_log = logging.getLogger(__name__)


def guarded_stream(
    guard: Guard,
    deltas: Iterable[str],
    passages: PassageSource,
    *,
    question: str | None = None,
    mode: Mode = "buffer",
    regenerate: Regenerator | None = None,
    policy: Policy | None = None,
) -> Iterator[StreamEvent]:
    """Check an answer while it is generated.

    Args:
        guard: Checks, decides and repairs.
        deltas: Pieces of the answer, cut anywhere. Closed at the end, or where no more text is wanted.
        passages: See Guard.check; or a callable that returns them, called once, when the first text must be checked.
        question: What was asked, if known.
        mode: ``buffer``: nothing leaves before all of it is checked. ``sentence``: a segment leaves once it is checked.
            ``observe``: all leaves at once, unchecked, as ``Delta(verified=False)``.
        regenerate: See Guard.run; in sentence mode only as long as nothing has left.
        policy: Instead of the guard's own.

    Returns:
        An iterator of events; the last is Finished. Close it to stop early: the deltas are closed too. An error of
        ``deltas`` passes through, behind what was checked; text that was not checked is dropped.

    Raises:
        UsageError: at once, or from the iterator: an argument is of the wrong type, the callable returns no passages,
            or the engine can only be awaited.
    """
    if not isinstance(deltas, Iterable) or isinstance(deltas, (str, bytes)):
        raise UsageError(f"deltas must be an iterable of str, got {type(deltas).__name__}. For async: astream.")
    work = _work(guard, passages, question, mode, regenerate, policy)
    return _run(work, _plan(mode, work), iter(deltas))


def aguarded_stream(
    guard: Guard,
    deltas: AsyncIterable[str],
    passages: PassageSource,
    *,
    question: str | None = None,
    mode: Mode = "buffer",
    regenerate: Regenerator | None = None,
    policy: Policy | None = None,
) -> AsyncIterator[StreamEvent]:
    """The same without blocking the event loop: text is read on (up to a bound) while some is checked.

    ``deltas`` are read in a task of their own. A callable for ``passages`` may be a coroutine function.
    """
    if not isinstance(deltas, AsyncIterable):
        raise UsageError(f"deltas must be an async iterable of str, got {type(deltas).__name__}. For sync: stream.")
    work = _work(guard, passages, question, mode, regenerate, policy)
    return _arun(work, _plan(mode, work), Ahead(deltas))


@dataclass(slots=True)
class _Work:
    """One stream's calls to the guard."""

    guard: Guard
    source: PassageSource
    question: str | None
    regenerate: Regenerator | None
    policy: Policy
    memory: Memory
    seen: Observation
    passages: tuple[Passage, ...] = ()
    _checker: Guard | None = field(default=None)

    def ask(self) -> object:
        """The passages as the caller has them, or what has to be awaited for them."""
        return self.source() if callable(self.source) else self.source

    def take(self, given: object) -> tuple[Passage, ...]:
        self.passages = read_passages(given)
        return self.passages

    def checker(self, step: CheckSome, *, awaited: bool) -> Guard:
        """The guard with an engine that remembers, set to what the step wants."""
        self.memory.until, self.memory.long = step.until, step.long
        if self._checker is None:
            engine = AsyncRemembering(self.memory) if awaited else Remembering(self.memory)
            plain = self.policy.with_(calibration=None)  # it was made for the engine within
            self._checker = replace(self.guard, policy=plain, engine=engine, retriever=None)
        return self._checker

    def do(self, step: CheckAll | CheckSome | Mend) -> Reply:
        self.seen.pieces = isinstance(step, CheckSome)
        with joined(self.seen):
            if isinstance(step, Mend):
                if step.only_edit:
                    return self.guard.apply(step.report, policy=self.policy)
                return self.guard.repair(step.report, policy=self.policy, regenerate=self.regenerate)
            guard = self.guard if isinstance(step, CheckAll) else self.checker(step, awaited=False)
            return guard.check(step.text, self.passages, question=self.question, policy=self.policy)

    async def ado(self, step: CheckAll | CheckSome | Mend) -> Reply:
        self.seen.pieces = isinstance(step, CheckSome)
        with joined(self.seen):
            if isinstance(step, Mend):
                if step.only_edit:
                    return self.guard.apply(step.report, policy=self.policy)
                return await self.guard.arepair(step.report, policy=self.policy, regenerate=self.regenerate)
            guard = self.guard if isinstance(step, CheckAll) else self.checker(step, awaited=True)
            return await guard.acheck(step.text, self.passages, question=self.question, policy=self.policy)


def _work(
    guard: Guard,
    passages: PassageSource,
    question: str | None,
    mode: Mode,
    regenerate: Regenerator | None,
    policy: Policy | None,
) -> _Work:
    if mode not in MODES:
        raise UsageError(f"unknown mode {mode!r}. {did_you_mean(str(mode), MODES)}")
    if policy is not None and not isinstance(policy, Policy):
        raise UsageError(f"policy must be a Policy, got {type(policy).__name__}. Use Policy.load(name or file).")
    source = passages if callable(passages) else read_passages(passages)
    used = guard.policy.current() if policy is None else policy  # one policy for all of the stream
    engine = guard.engine
    if isinstance(engine, str):
        raise TypeError("a guard resolves the name of its engine")
    seen = Observation(guard.telemetry, used.name, engine.name, mode=mode)
    return _Work(guard, source, read_question(question), regenerate, used, Memory(engine), seen)


def _plan(mode: Mode, work: _Work) -> Plan:
    if mode == "sentence":
        return Sentences(work.policy, work.question, work.guard.retriever is not None).plan()
    return observed(work.policy) if mode == "observe" else buffered(work.policy)


def _run(work: _Work, plan: Plan, source: Iterator[str]) -> Iterator[StreamEvent]:
    reply: Reply = None
    work.seen.open()
    try:
        while (step := _next(plan, reply)) is not None:
            reply = None
            if isinstance(step, (Delta, Checked, Withheld, Finished)):
                _tell(work.seen, step)
                yield step
            elif isinstance(step, More):
                reply = _piece(next(source, _NOTHING))
            elif isinstance(step, Enough):
                _close(source)
            elif isinstance(step, Depends):
                reply = work.memory.depends
            elif isinstance(step, Fetch):
                reply = work.take(_there(work.ask()))
            else:
                reply = work.do(step)
    except Exception as error:
        work.seen.close(error)
        raise
    finally:
        plan.close()
        _close(source)
        work.seen.close()


async def _arun(work: _Work, plan: Plan, source: Ahead) -> AsyncIterator[StreamEvent]:
    reply: Reply = None
    work.seen.open()
    try:
        while (step := _next(plan, reply)) is not None:
            reply = None
            if isinstance(step, (Delta, Checked, Withheld, Finished)):
                _tell(work.seen, step)
                yield step
            elif isinstance(step, More):
                reply = await source.more(gather=step.gather)
            elif isinstance(step, Enough):
                await source.close()
            elif isinstance(step, Depends):
                reply = work.memory.depends
            elif isinstance(step, Fetch):
                given = work.ask()
                reply = work.take(await given if inspect.isawaitable(given) else given)
            else:
                reply = await work.ado(step)
    except Exception as error:
        work.seen.close(error)
        raise
    finally:
        plan.close()
        await source.close()
        work.seen.close()


def _tell(seen: Observation, event: StreamEvent) -> None:
    if isinstance(event, Finished):
        seen.delivered(event.guarded)
        seen.close()  # now: many callers stop reading here
    elif isinstance(event, Delta) and event.verified:
        seen.verified()


def _next(plan: Plan, reply: Reply) -> Step | StreamEvent | None:
    try:
        return plan.send(reply)
    except StopIteration:
        return None


_NOTHING = object()


def _piece(delta: object) -> str | None:
    if delta is _NOTHING:
        return None
    return read_delta(delta)


def _close(source: object) -> None:
    close = getattr(source, "close", None)
    if close is not None:
        try:
            close()
        except Exception as error:  # what was checked is delivered all the same
            _log.warning("closing the source of a stream failed", exc_info=error)


def _there(given: object) -> object:
    """What was given, unless somebody would have to await it."""
    if not inspect.isawaitable(given):
        return given
    if inspect.iscoroutine(given):
        given.close()
    raise UsageError("the callable for passages is async. Use `astream`.")
