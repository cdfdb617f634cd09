"""Engines are loaded before the first request waits for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.check.threads import in_thread
from guardrail.engines.cascade import CascadeEngine
from guardrail.guard import Guard
from guardrail.service.settings import GuardSettings
from guardrail.telemetry import Telemetry
from guardrail.types import Report

_log = logging.getLogger("guardrail.service")

_ANSWER = "The bridge was opened in 1932."
_PASSAGE = "The bridge was opened in 1932, after eight years of work."


async def warm(guards: Mapping[str, tuple[GuardSettings, Guard]]) -> None:
    """Load all engines, and check once by those of this machine; a model elsewhere is not asked, since it costs."""
    for name, (_, guard) in tuple(guards.items()):
        for engine in _parts(guard.judge):
            await asyncio.wrap_future(in_thread(partial(_load, engine)))
        if not isinstance(guard.judge, AsyncEngine):
            report = await asyncio.wrap_future(in_thread(partial(_check_once, guard)))
            _log.info("guard %s is warm: %s in %.0f ms", name, report.verdict.value, report.seconds * 1_000)
        else:
            _log.info("guard %s is loaded", name)


def _parts(engine: Engine | AsyncEngine) -> Iterator[Engine | AsyncEngine]:
    if isinstance(engine, CascadeEngine):
        yield from (engine.first, engine.second)
    else:
        yield engine


def _load(engine: Engine | AsyncEngine) -> None:
    """What an engine would load with its first check: a model, processes, a vendor's client."""
    if callable(warm_up := getattr(engine, "warm_up", None)):
        warm_up()
    if (llm := getattr(engine, "llm", None)) is not None:
        from guardrail.engines.llm.models.openai import OpenAILLM

        if isinstance(llm, OpenAILLM):
            # The vendor's client imports five hundred modules where its parts are first asked for; nothing is sent.
            _ = llm.client(timeout=1.0).chat.completions


def _check_once(guard: Guard) -> Report:
    # It is nobody's answer: no record, no trace, and no count.
    telemetry = Telemetry(tracer_provider=NoOpTracerProvider(), meter_provider=NoOpMeterProvider())
    return replace(guard, telemetry=telemetry).check(_ANSWER, [_PASSAGE])
