"""Engines are loaded before the first request waits for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider

from guardrail.check.contract import AsyncEngine
from guardrail.check.threads import in_thread
from guardrail.guard import Guard
from guardrail.service.settings import GuardSettings
from guardrail.telemetry import Telemetry
from guardrail.types import Report

_log = logging.getLogger("guardrail.service")

_ANSWER = "The bridge was opened in 1932."
_PASSAGE = "The bridge was opened in 1932, after eight years of work."


async def warm(guards: Mapping[str, tuple[GuardSettings, Guard]]) -> None:
    """One check by each engine of this process; a model elsewhere is not asked, since it costs."""
    for name, (_, guard) in tuple(guards.items()):
        if not isinstance(guard.judge, AsyncEngine):
            report = await asyncio.wrap_future(in_thread(partial(_check_once, guard)))
            _log.info("guard %s is warm: %s in %.0f ms", name, report.verdict.value, report.seconds * 1_000)


def _check_once(guard: Guard) -> Report:
    # It is nobody's answer: no record, no trace, and no count.
    telemetry = Telemetry(tracer_provider=NoOpTracerProvider(), meter_provider=NoOpMeterProvider())
    return replace(guard, telemetry=telemetry).check(_ANSWER, [_PASSAGE])
