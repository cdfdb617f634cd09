"""Run a check plan: perform what it asks for, in this thread or awaited. No check logic lives here.

This is the boundary where a failure of ours or of an engine becomes UNVERIFIED instead of an exception in somebody's
service. The caller's mistakes (UsageError) pass through.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from guardrail import telemetry
from guardrail.check.contract import (
    AsyncDecomposer,
    AsyncEngine,
    Decomposer,
    DecomposeRequest,
    Draft,
    Engine,
    VerifyRequest,
    account,
    account_draft,
    seconds_left,
    unverified,
)
from guardrail.check.plan import CheckPlan, Effect, Stage
from guardrail.check.retrieve import Retrieved, RetrieveRequest, aretrieve, retrieve
from guardrail.check.retriever import AsyncRetriever
from guardrail.check.threads import in_pool
from guardrail.errors import EngineError, EngineTimeout, UsageError, cause_of, panics_are_errors
from guardrail.types import Report, SupportMatrix

Reply = Draft | SupportMatrix | Retrieved

_GRACE = 1.0
"""Seconds past the deadline that an engine in a thread may take to notice it and return what it has."""

_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())


def drive(plan: CheckPlan, engine: Engine | AsyncEngine) -> Report:
    """Run the plan in this thread.

    Raises:
        UsageError: the engine can only be awaited.
    """
    if not isinstance(engine, Engine):
        raise UsageError(f"engine {engine.name!r} is async only. Use `await guard.acheck(...)` or `arun(...)`.")
    stages = telemetry.Stages()
    try:
        effect = _advance(plan, None, stages)
        while True:
            with stages.current():
                reply = _perform(engine, effect)
            effect = _advance(plan, reply, stages)
    except StopIteration as stop:
        return _report(stop)
    finally:
        stages.end()


async def adrive(plan: CheckPlan, engine: Engine | AsyncEngine) -> Report:
    """Run the plan without blocking the event loop: a sync engine works in a thread.

    The pure stages run in a thread too where the answer is long enough for them to be felt.
    """
    stages = telemetry.Stages()
    try:
        effect = await asyncio.to_thread(_step, plan, None, stages)
        while not isinstance(effect, Report):
            with stages.current():
                reply = await _aperform(engine, effect)
            effect = await asyncio.to_thread(_step, plan, reply, stages)
    except asyncio.CancelledError:
        with suppress(ValueError):  # a stage at work in its thread cannot be closed; it ends by itself, unheard
            plan.close()
        raise
    finally:
        stages.end()
    return effect


def _advance(plan: CheckPlan, reply: Reply | None, stages: telemetry.Stages) -> Effect:
    """Next effect of the plan. Raises StopIteration with its report."""
    effect = next(plan) if reply is None else plan.send(reply)
    while isinstance(effect, Stage):
        stages.enter(effect.value)
        effect = next(plan)
    return effect


def _step(plan: CheckPlan, reply: Reply | None, stages: telemetry.Stages) -> Effect | Report:
    """Next effect of the plan, or its report (StopIteration cannot cross a thread)."""
    try:
        return _advance(plan, reply, stages)
    except StopIteration as stop:
        return _report(stop)


def _report(stop: StopIteration) -> Report:
    report = stop.value
    if not isinstance(report, Report):
        raise TypeError(f"a check plan must return a Report, got {type(report).__name__}")
    return report


def _perform(engine: Engine | AsyncEngine, effect: Effect) -> Reply:
    try:
        with panics_are_errors():
            return _call(engine, effect)
    except UsageError:
        raise
    except Exception as error:  # the boundary: whatever an engine does, the service stays up
        return _failed(engine.name, effect, error)


def take_apart(request: DecomposeRequest, engine: Engine | AsyncEngine) -> Draft:
    """Decompose an answer in this thread; where the engine does not do that, or fails, the rules' parts stand.

    Raises:
        UsageError: the engine can only be awaited.
    """
    if isinstance(engine, AsyncDecomposer) and not isinstance(engine, Decomposer):
        raise UsageError(f"engine {engine.name!r} is async only. Use `await guard.aextract(...)`.")
    reply = _perform(engine, request) if isinstance(engine, Engine) and isinstance(engine, Decomposer) else None
    return reply if isinstance(reply, Draft) else Draft(parts=request.parts)


async def atake_apart(request: DecomposeRequest, engine: Engine | AsyncEngine) -> Draft:
    """The same without blocking the event loop."""
    reply = await _aperform(engine, request) if isinstance(engine, (Decomposer, AsyncDecomposer)) else None
    return reply if isinstance(reply, Draft) else Draft(parts=request.parts)


def fill(request: VerifyRequest, engine: Engine | AsyncEngine) -> SupportMatrix:
    """Have segments verified in this thread; where the engine fails they are unverified.

    Raises:
        UsageError: the engine can only be awaited.
    """
    if not isinstance(engine, Engine):
        raise UsageError(f"engine {engine.name!r} is async only. Use `await guard.acheck(...)` or `arun(...)`.")
    reply = _perform(engine, request)
    return reply if isinstance(reply, SupportMatrix) else unverified(request, "the engine gave no matrix")


async def afill(
    request: VerifyRequest, engine: Engine | AsyncEngine, *, pool: str = "engine", grace: float = _GRACE
) -> SupportMatrix:
    """The same without blocking the event loop.

    Args:
        request: What to verify.
        engine: Who verifies it.
        pool: Where a sync engine works: threads of their own for one that works inside another's.
        grace: Seconds past the deadline that it may take there to notice it.
    """
    reply = await _aperform(engine, request, pool, grace)
    return reply if isinstance(reply, SupportMatrix) else unverified(request, "the engine gave no matrix")


def _call(engine: Engine | AsyncEngine, effect: Effect) -> Reply:
    if isinstance(effect, RetrieveRequest):
        return retrieve(effect)
    if isinstance(effect, VerifyRequest) and isinstance(engine, Engine):
        return account(effect, engine.verify(effect))
    if isinstance(effect, VerifyRequest) or not isinstance(engine, Decomposer):
        raise EngineError("it can only be awaited")
    return account_draft(effect, engine.decompose(effect))


async def _aperform(engine: Engine | AsyncEngine, effect: Effect, pool: str = "engine", grace: float = _GRACE) -> Reply:
    if not _awaited(engine, effect):
        # _perform catches there what may not cross a thread (a StopIteration would never arrive here).
        left = seconds_left(effect.deadline)
        try:
            async with asyncio.timeout(None if left is None else left + grace):
                return await in_pool(pool, _perform, engine, effect)
        except TimeoutError:
            return _failed(engine.name, effect, EngineTimeout("it ignored the deadline"))
    try:
        async with asyncio.timeout(seconds_left(effect.deadline)):
            with panics_are_errors():
                return await _acall(engine, effect)
    except UsageError:
        raise
    except TimeoutError:
        return _failed(engine.name, effect, EngineTimeout("no reply before the deadline"))
    except Exception as error:  # see _perform
        return _failed(engine.name, effect, error)


def _awaited(engine: Engine | AsyncEngine, effect: Effect) -> bool:
    """Whether the work is awaited, rather than done in a thread."""
    if isinstance(effect, RetrieveRequest):
        return isinstance(effect.retriever, AsyncRetriever)
    return isinstance(engine, AsyncEngine)


async def _acall(engine: Engine | AsyncEngine, effect: Effect) -> Reply:
    if isinstance(effect, RetrieveRequest):
        return await aretrieve(effect)
    if isinstance(effect, VerifyRequest) and isinstance(engine, AsyncEngine):
        return account(effect, await engine.averify(effect))
    if isinstance(effect, VerifyRequest) or not isinstance(engine, AsyncDecomposer):
        raise EngineError("it cannot be awaited to decompose")
    return account_draft(effect, await engine.adecompose(effect))


def _failed(engine: str, effect: Effect, error: Exception) -> Reply:
    # Messages of foreign errors may hold keys or texts: they go to the log of the service, never into an answer.
    telemetry.failed(error)
    why = f"{type(error).__name__}: {error}" if isinstance(error, EngineError) else type(error).__name__
    if isinstance(effect, RetrieveRequest):
        _log.warning("the retriever failed, the answer is unverified", exc_info=error)
        told = f"the retriever failed: {error if isinstance(error, EngineError) else why}"
        return Retrieved(reason=told, cause=cause_of(error))
    if isinstance(effect, DecomposeRequest):
        _log.warning("engine %s could not decompose, the rules did", engine, exc_info=error)
        return Draft(parts=effect.parts, reason=f"The rules decomposed: engine {engine!r} failed: {why}.")
    _log.warning("engine %s failed on %d segments", engine, len(effect.segments), exc_info=error)
    return unverified(effect, f"the engine {engine!r} failed: {why}", cause_of(error))
