"""Metrics by opentelemetry-api; they need no tracing. Names and labels are in docs/monitoring.md."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache

from opentelemetry import metrics
from opentelemetry.metrics import Counter, Histogram, MeterProvider, NoOpMeterProvider, UpDownCounter

from guardrail.telemetry.version import version

_log = logging.getLogger(__name__)

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
_TOKENS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)

Labels = Mapping[str, str]


class Instruments:
    """All instruments, made by one meter."""

    def __init__(self, provider: MeterProvider | None) -> None:
        meter = metrics.get_meter("guardrail", version(), meter_provider=provider)
        count = meter.create_counter

        def histogram(name: str, unit: str, description: str, bounds: Sequence[float]) -> Histogram:
            return meter.create_histogram(name, unit, description, explicit_bucket_boundaries_advisory=bounds)

        self.answers = count("guardrail.answers", "{answer}", "Guarded answers")
        self.decisions = count("guardrail.decisions", "{decision}", "Decisions on answers that were checked before")
        self.claims = count("guardrail.claims", "{claim}", "Findings of guarded answers")
        self.unverified = count("guardrail.claims.unverified", "{claim}", "Claims that are not verified")
        self.abandoned = count("guardrail.streams.abandoned", "{stream}", "Answers whose caller left before the end")
        self.repaired = count("guardrail.answers.repaired", "{answer}", "Answers for which a new one was asked")
        self.attempts = count("guardrail.repair.attempts", "{attempt}", "Regenerations and rewrites")
        self.judge_calls = count("guardrail.judge.calls", "{call}", "Requests to a judge model")
        self.judge_tokens = count("guardrail.judge.tokens", "{token}", "Tokens of a judge model")
        self.judge_cost = count("guardrail.judge.cost", "", "Cost of a judge model, in the currency of its prices")
        self.cache_hits = count("guardrail.cache.hits", "{hit}", "Verdicts and decompositions that were remembered")
        self.cascade = count("guardrail.cascade.segments", "{segment}", "Segments that a cascade screened")
        self.active = meter.create_up_down_counter("guardrail.answers.active", "{answer}", "Answers being guarded")
        self.score = histogram("guardrail.answer.score", "", "Score of judged answers", SHARES)
        self.factscore = histogram("guardrail.answer.factscore", "", "FActScore of answers", SHARES)
        self.d_factscore = histogram("guardrail.answer.d_factscore", "", "D-FActScore of answers", SHARES)
        self.duration = histogram("guardrail.check.duration", "s", "Time that the guard added", SECONDS)
        self.stages = histogram("guardrail.stage.duration", "s", "Time of a stage", SECONDS)
        self.first_verified = histogram(
            "guardrail.stream.first_verified", "s", "Time to the first checked text of a stream", SECONDS
        )
        # OpenTelemetry's own names for clients of models.
        self.operation = histogram("gen_ai.client.operation.duration", "s", "Time of a request to a model", SECONDS)
        self.usage = histogram("gen_ai.client.token.usage", "{token}", "Tokens of a request to a model", _TOKENS)


@lru_cache(maxsize=16)
def instruments(provider: MeterProvider | None) -> Instruments:
    """The instruments of a provider; None = the global one, also where that is set later."""
    try:
        return Instruments(provider)
    except Exception as error:  # a meter of somebody's own that knows less than the API of today
        _log.warning("no metrics: the meter provider failed: %s", type(error).__name__, exc_info=error)
        return Instruments(NoOpMeterProvider())


def add(counter: Counter | UpDownCounter, amount: float, labels: Labels) -> None:
    """Count; errors of an SDK end here."""
    try:
        counter.add(amount, labels)
    except Exception as error:
        _log.debug("a counter failed", exc_info=error)


def record(histogram: Histogram, value: float, labels: Labels) -> None:
    """Record a value; errors of an SDK end here."""
    try:
        histogram.record(value, labels)
    except Exception as error:
        _log.debug("a histogram failed", exc_info=error)
