"""Where a failure of an engine becomes UNVERIFIED, instead of an exception in somebody's service.

The caller's mistakes (UsageError) pass through.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from guardrail.check.contract import (
    AsyncDecomposer,
    AsyncEngine,
    Decomposer,
    DecomposeRequest,
    Draft,
    Engine,
    VerifyRequest,
    seconds_left,
    unverified,
    validated_draft,
)
from guardrail.check.drivers import Program, Work
from guardrail.check.matrix import validated
from guardrail.check.threads import in_pool, in_time
from guardrail.errors import EngineError, EngineTimeout, UsageError, cause_of
from guardrail.telemetry import record_error
from guardrail.types import SupportMatrix

T = TypeVar("T")

_GRACE = 1.0
"""Seconds past the deadline that an engine in a thread may take to notice it and return what it has."""

_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())


def until(
    deadline: float | None,
    here: Callable[[], T],
    awaited: Callable[[], Awaitable[T]] | None,
    *,
    pool: str = "engine",
    grace: float = _GRACE,
    late: EngineTimeout | None = None,
) -> Work[T]:
    """Work with a deadline (``time.monotonic()``); past it there is an EngineTimeout, ``late``.

    ``here`` is done in a thread that is left to itself ``grace`` seconds after the deadline. An event loop has it done
    so in that pool, where nothing can be awaited.
    """
    ignored = late or EngineTimeout("it ignored the deadline")

    def wait_here() -> T:
        left = seconds_left(deadline)
        return in_time(here, None if left is None else left + grace, ignored)

    async def wait() -> T:
        import asyncio  # not before a loop runs: 25 ms of the import

        left = seconds_left(deadline)
        if left is not None and awaited is None:
            left += grace
        try:
            async with asyncio.timeout(left) as limit:
                return await (in_pool(pool, here) if awaited is None else awaited())
        except TimeoutError:
            if not limit.expired():
                raise
            raise (ignored if awaited is None else late or EngineTimeout("no reply before the deadline")) from None

    return Work(wait_here, wait)


def usable(engine: Engine | AsyncEngine) -> Program[None]:
    """Stop at once where nothing can come of it.

    Raises:
        UsageError: the driver is sync, and the engine can only be awaited.
    """

    async def awaited() -> None:
        return None

    def here() -> None:
        if not isinstance(engine, Engine):
            raise _async_only(engine, "await guard.acheck(...)` or `arun(...)")

    yield Work(here, awaited)


def verified(
    engine: Engine | AsyncEngine, request: VerifyRequest, *, pool: str = "engine", grace: float = _GRACE
) -> Program[SupportMatrix]:
    """Have segments verified; where the engine fails they are unverified.

    Args:
        engine: Who verifies.
        request: What to verify.
        pool: Where an event loop has a sync engine work: threads of their own for one that works inside another's.
        grace: Seconds past the deadline that it may take there to notice it.

    Raises:
        UsageError: the driver is sync, and the engine can only be awaited.
    """
    awaited = partial(_averify, engine, request) if isinstance(engine, AsyncEngine) else None
    try:
        here = partial(_verify, engine, request)
        matrix: SupportMatrix = yield until(request.deadline, here, awaited, pool=pool, grace=grace)
    except UsageError:
        raise
    except Exception as error:  # the boundary: whatever an engine does, the service stays up
        _log.warning("engine %s failed on %d segments", engine.name, len(request.segments), exc_info=error)
        return unverified(request, f"the engine {engine.name!r} failed: {reason_of(error)}", cause_of(error))
    return matrix


def decomposed(engine: Engine | AsyncEngine, request: DecomposeRequest) -> Program[Draft]:
    """Have an answer decomposed; where the engine does not do that, or fails, the rules' parts stand.

    Raises:
        UsageError: the driver is sync, and the engine can only be awaited.
    """
    if not isinstance(engine, (Decomposer, AsyncDecomposer)):
        return Draft(parts=request.parts)
    awaited = partial(_adecompose, engine, request) if isinstance(engine, AsyncDecomposer) else None
    try:
        draft: Draft = yield until(request.deadline, partial(_decompose, engine, request), awaited)
    except UsageError:
        raise
    except Exception as error:
        _log.warning("engine %s could not decompose, the rules did", engine.name, exc_info=error)
        why = f"The rules decomposed: engine {engine.name!r} failed: {reason_of(error)}."
        return Draft(parts=request.parts, reason=why)
    return draft


def reason_of(error: Exception) -> str:
    """What reports may say of it, and the type of it for the span at work.

    Messages of foreign errors may hold keys or texts: they go to the log of the service, never into an answer.
    """
    record_error(error)
    return f"{type(error).__name__}: {error}" if isinstance(error, EngineError) else type(error).__name__


def _verify(engine: Engine | AsyncEngine, request: VerifyRequest) -> SupportMatrix:
    if not isinstance(engine, Engine):
        raise _async_only(engine, "await guard.acheck(...)` or `arun(...)")
    return validated(request, engine.verify(request))


async def _averify(engine: AsyncEngine, request: VerifyRequest) -> SupportMatrix:
    return validated(request, await engine.averify(request))


def _decompose(engine: Decomposer | AsyncDecomposer, request: DecomposeRequest) -> Draft:
    if not isinstance(engine, Decomposer):
        raise _async_only(engine, "await guard.aextract(...)")
    return validated_draft(request, engine.decompose(request))


async def _adecompose(engine: AsyncDecomposer, request: DecomposeRequest) -> Draft:
    return validated_draft(request, await engine.adecompose(request))


def _async_only(engine: object, instead: str) -> UsageError:
    return UsageError(f"engine {getattr(engine, 'name', '')!r} is async only. Use `{instead}`.")
