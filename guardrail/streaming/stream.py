"""Guarded streams for sync and async callers, and the modes that check once, when all of the answer is there."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from guardrail.check.drivers import Events, aiterate, iterate
from guardrail.check.intake import read_passages, read_question
from guardrail.errors import UsageError, did_you_mean
from guardrail.policy.policy import Policy
from guardrail.repair.generators import Generator
from guardrail.streaming.events import MODES, Delta, Mode, StreamEvent, events_of
from guardrail.streaming.memory import Memory
from guardrail.streaming.sentence import Sentences
from guardrail.streaming.source import Source, async_source, sync_source
from guardrail.streaming.work import PassageSource, StreamGuard, StreamWork
from guardrail.telemetry import Observation


def guarded_stream(
    guard: StreamGuard,
    deltas: Iterable[str],
    passages: PassageSource,
    *,
    question: str | None = None,
    mode: Mode = "buffer",
    regenerate: Generator | None = None,
    policy: Policy | str | None = None,
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
        policy: Instead of the guard's own; see Guard.check.

    Returns:
        An iterator of events; the last is Finished. Close it to stop early: the deltas are closed too. An error of
        ``deltas`` passes through, behind what was checked; text that was not checked is dropped.

    Raises:
        UsageError: at once, or from the iterator: an argument is of the wrong type, the callable returns no passages,
            or the engine can only be awaited.
    """
    source = sync_source(deltas)
    return iterate(
        stream_events(mode, stream_work(guard, source, passages, question, mode, regenerate, policy)), source.close
    )


def aguarded_stream(
    guard: StreamGuard,
    deltas: AsyncIterable[str],
    passages: PassageSource,
    *,
    question: str | None = None,
    mode: Mode = "buffer",
    regenerate: Generator | None = None,
    policy: Policy | str | None = None,
) -> AsyncIterator[StreamEvent]:
    """The same without blocking the event loop: text is read on (up to a bound) while some is checked.

    ``deltas`` are read in a task of their own. A callable for ``passages`` may be a coroutine function.
    """
    source = async_source(deltas)
    return aiterate(
        stream_events(mode, stream_work(guard, source, passages, question, mode, regenerate, policy)), source.close
    )


def stream_work(
    guard: StreamGuard,
    source: Source,
    passages: PassageSource,
    question: str | None,
    mode: Mode,
    regenerate: Generator | None,
    policy: Policy | str | None,
) -> StreamWork:
    """What one stream needs; arguments as ``guarded_stream``, and the source of its text."""
    if mode not in MODES:
        raise UsageError(f"unknown mode {mode!r}. {did_you_mean(str(mode), MODES)}")
    used = guard.policy_of_call(policy)  # one policy for all of the stream
    return StreamWork(
        guard=guard,
        source=source,
        given=passages if callable(passages) else read_passages(passages),
        question=read_question(question),
        regenerate=regenerate,
        policy=used,
        seen=Observation(guard.telemetry, used.name, guard.judge.name, mode=mode),
        # An answer that is streamed again as it grows brings what was read of it before.
        memory=guard.judge if isinstance(guard.judge, Memory) else Memory(guard.judge),
    )


def stream_events(mode: Mode, work: StreamWork) -> Events[StreamEvent]:
    """The events of a stream, under observation."""
    seen = work.seen
    seen.open()
    try:
        yield from Sentences(work).plan() if mode == "sentence" else _at_end(work, shown=mode == "observe")
    except Exception as error:
        seen.close(error)
        raise
    except BaseException:  # closed, dropped or cancelled
        seen.close(so_far=work.so_far())
        raise


def _at_end(work: StreamWork, *, shown: bool) -> Events[StreamEvent]:
    """The answer is checked once, when all of it is there: until then nothing leaves, or all does, unchecked."""
    while (more := (yield from work.read())) is not None:
        if shown:
            yield Delta(more, verified=False)
    yield from work.fetch()
    report = yield from work.check(work.text)
    guarded = yield from work.repair(report, only_edit=shown)
    yield from events_of(guarded, work.policy)
    if guarded.text and not shown:
        yield from work.deliver(guarded.text)
    yield from work.finish(guarded)
