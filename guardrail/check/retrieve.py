"""Look up the passages of one answer: a query per segment, the best of all together.

Zero context of RefChecker. One query failing fails the lookup: with passages for half of an answer, the other half
would seem to be unsupported.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

from guardrail.check.boundary import reason_of, until
from guardrail.check.drivers import Program
from guardrail.check.intake import PassageLike, read_passages
from guardrail.errors import EngineError, EngineTimeout, UsageError, cause_of
from guardrail.types import Cause, Passage, Segment

PER_SEGMENT = 3
"""Passages asked for by segment."""

IN_ALL = 10
"""Passages that an answer is checked against, at most, unless more queries than that have a best one."""

_AT_ONCE = 8

_log = logging.getLogger(__name__)


@runtime_checkable
class Retriever(Protocol):
    """Looks up passages; called from any thread, several calls at once."""

    def retrieve(self, query: str, limit: int) -> Sequence[PassageLike]:
        """At most ``limit`` passages for the query, best first. Whatever it raises makes the answer UNVERIFIED."""
        ...


@runtime_checkable
class AsyncRetriever(Protocol):
    """The same for a retriever whose work is awaited."""

    def aretrieve(self, query: str, limit: int) -> Awaitable[Sequence[PassageLike]]:
        """See Retriever.retrieve."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """Work for a retriever. ``deadline`` is a ``time.monotonic()`` value; None = no limit."""

    retriever: Retriever | AsyncRetriever
    queries: tuple[str, ...]
    deadline: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Passages with unique ids, best first; ``reason`` says why there are none, and ``cause`` of which kind it is."""

    passages: tuple[Passage, ...] = ()
    reason: str = ""
    cause: Cause = Cause.NO_PASSAGES


def lookup(
    retriever: Retriever | AsyncRetriever, question: str | None, segments: Sequence[Segment], deadline: float | None
) -> RetrieveRequest:
    """The request for an answer: the question with each segment's text, each query once."""
    queries = dict.fromkeys(f"{question} {segment.text}" if question else segment.text for segment in segments)
    return RetrieveRequest(retriever=retriever, queries=tuple(queries), deadline=deadline)


def retrieved(
    retriever: Retriever | AsyncRetriever, question: str | None, segments: Sequence[Segment], deadline: float | None
) -> Program[Retrieved]:
    """Look up the passages of an answer; where the retriever fails there are none, for a reason.

    Raises:
        UsageError: the driver is sync, and the retriever can only be awaited.
    """
    request = lookup(retriever, question, segments, deadline)
    awaited = partial(aretrieve, request) if isinstance(retriever, AsyncRetriever) else None
    try:
        found: Retrieved = yield until(deadline, partial(retrieve, request), awaited, grace=0.0)
    except UsageError:
        raise
    except Exception as error:
        _log.warning("the retriever failed, the answer is unverified", exc_info=error)
        why = reason_of(error)
        return Retrieved(
            reason=f"the retriever failed: {error if isinstance(error, EngineError) else why}", cause=cause_of(error)
        )
    return found


def retrieve(request: RetrieveRequest) -> Retrieved:
    """Ask a retriever in this thread.

    Raises:
        UsageError: the retriever can only be awaited.
        EngineError: it failed, or the deadline passed.
    """
    retriever = request.retriever
    if not isinstance(retriever, Retriever):
        raise UsageError("the retriever is async only. Use `await guard.acheck(...)` or `arun(...)`.")
    found = []
    for query in request.queries:
        if request.deadline is not None and time.monotonic() > request.deadline:
            raise EngineTimeout("the deadline passed")
        try:
            found.append(read_passages(retriever.retrieve(query, PER_SEGMENT)))
        except Exception as error:  # a retriever that breaks is no mistake of this call
            raise _failure(error) from error
    return merge(found)


async def aretrieve(request: RetrieveRequest) -> Retrieved:
    """Await a retriever; several queries are under way at once. Raises EngineError as ``retrieve`` does."""
    retriever = request.retriever
    if not isinstance(retriever, AsyncRetriever):
        raise TypeError(f"aretrieve needs an AsyncRetriever, got {type(retriever).__name__}")
    import asyncio  # not before a loop runs: 25 ms of the import

    free = asyncio.Semaphore(_AT_ONCE)

    async def ask(query: str) -> tuple[Passage, ...]:
        async with free:
            return read_passages(await retriever.aretrieve(query, PER_SEGMENT))

    tasks = [asyncio.ensure_future(ask(query)) for query in request.queries]
    try:
        return merge(await asyncio.gather(*tasks))
    except Exception as error:
        raise _failure(error) from error
    finally:
        for task in tasks:
            task.cancel()


def merge(found: Sequence[Sequence[Passage]]) -> Retrieved:
    """At most IN_ALL passages, each text and id once: all first places before all second, then what most queries got.

    All first places stay, be they more than IN_ALL: a segment whose own passage is left out would seem to be invented.
    What a retriever gives beyond PER_SEGMENT per query is left out.
    """
    votes: dict[str, tuple[int, int, int]] = {}
    passages: dict[str, Passage] = {}
    for results in found:
        for rank, passage in enumerate([p for p in results if p.text.strip()][:PER_SEGMENT]):
            place, count, first = votes.get(passage.text, (rank, 0, len(votes)))
            votes[passage.text] = (min(place, rank), count - 1, first)
            passages.setdefault(passage.text, passage)
    firsts = sum(place == 0 for place, _, _ in votes.values())
    ordered = [passages[text] for text in sorted(votes, key=votes.__getitem__)][: max(IN_ALL, firsts)]
    if not ordered:
        return Retrieved(reason="nothing was retrieved for it")
    ids = [passage.id for passage in ordered]
    if len(set(ids)) < len(ids):  # such as "1", "2", "3" for each query: they name nothing
        ordered = [Passage(text=p.text, title=p.title) for p in ordered]
    return Retrieved(passages=read_passages(ordered))


def _failure(error: Exception) -> EngineError:
    # Messages may hold queries, which are texts of the answer.
    return EngineTimeout("it ran out of time") if isinstance(error, TimeoutError) else EngineError(type(error).__name__)
