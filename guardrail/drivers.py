"""Run a check plan: perform what it asks for, in this thread or awaited. No check logic lives here.

This is the boundary where a failure of ours or of an engine becomes UNVERIFIED instead of an exception in somebody's
service. The caller's mistakes (UsageError) pass through.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from guardrail import telemetry
from guardrail.engine import AsyncEngine, Engine, VerifyRequest, account, unverified
from guardrail.errors import EngineError, EngineTimeout, UsageError
from guardrail.plan import CheckPlan
from guardrail.types import Report, SupportMatrix

_ENGINES = ThreadPoolExecutor(max_workers=32, thread_name_prefix="guardrail-engine")
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
    try:
        request = next(plan)
        while True:
            request = plan.send(_verify(engine, request))
    except StopIteration as stop:
        return _report(stop)


async def adrive(plan: CheckPlan, engine: Engine | AsyncEngine) -> Report:
    """Run the plan without blocking the event loop: a sync engine works in a thread.

    The pure stages run in a thread too where the answer is long enough for them to be felt.
    """
    try:
        request = await asyncio.to_thread(_step, plan, None)
        while isinstance(request, VerifyRequest):
            request = await asyncio.to_thread(_step, plan, await _averify(engine, request))
    except asyncio.CancelledError:
        with suppress(ValueError):  # a stage at work in its thread cannot be closed; it ends by itself, unheard
            plan.close()
        raise
    return request


def _step(plan: CheckPlan, reply: SupportMatrix | None) -> VerifyRequest | Report:
    """Next request of the plan, or its report (StopIteration cannot cross a thread)."""
    try:
        return next(plan) if reply is None else plan.send(reply)
    except StopIteration as stop:
        return _report(stop)


def _report(stop: StopIteration) -> Report:
    report = stop.value
    if not isinstance(report, Report):
        raise TypeError(f"a check plan must return a Report, got {type(report).__name__}")
    return report


def _verify(engine: Engine, request: VerifyRequest) -> SupportMatrix:
    with telemetry.span("verify") as span:
        try:
            return account(request, engine.verify(request))
        except UsageError:
            raise
        except Exception as error:  # the boundary: whatever an engine does, the service stays up
            telemetry.describe_error(span, error)
            return _failed(engine.name, request, error)


async def _averify(engine: Engine | AsyncEngine, request: VerifyRequest) -> SupportMatrix:
    if not isinstance(engine, AsyncEngine):
        # _verify catches there what may not cross a thread (a StopIteration would never arrive here).
        left = request.seconds_left()
        try:
            async with asyncio.timeout(None if left is None else left + _GRACE):
                return await _in_engine_thread(engine, request)
        except TimeoutError:
            return _failed(engine.name, request, EngineTimeout("it ignored the deadline"))
    with telemetry.span("verify") as span:
        try:
            async with asyncio.timeout(request.seconds_left()):
                return account(request, await engine.averify(request))
        except UsageError:
            raise
        except TimeoutError:
            return _failed(engine.name, request, EngineTimeout("no reply before the deadline"))
        except Exception as error:  # see _verify
            telemetry.describe_error(span, error)
            return _failed(engine.name, request, error)


async def _in_engine_thread(engine: Engine, request: VerifyRequest) -> SupportMatrix:
    """A pool of our own: engines that hang must not take the threads that everybody else's `to_thread` needs."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_ENGINES, context.run, _verify, engine, request)


def _failed(engine: str, request: VerifyRequest, error: Exception) -> SupportMatrix:
    # Messages of foreign errors may hold keys or texts: they go to the log of the service, never into an answer.
    _log.warning("engine %s failed, %d segments unverified", engine, len(request.segments), exc_info=error)
    why = f"{type(error).__name__}: {error}" if isinstance(error, EngineError) else type(error).__name__
    return unverified(request, f"the engine {engine!r} failed: {why}")
