"""Settings: which traces, metrics, events and records a guard emits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from opentelemetry import _logs, trace
from opentelemetry._logs import Logger, LoggerProvider
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import Tracer, TracerProvider

from guardrail.errors import ConfigurationError
from guardrail.telemetry.attributes import Content, captures_content
from guardrail.telemetry.labels import read_labels
from guardrail.telemetry.metrics import Instruments, instruments
from guardrail.telemetry.outcome import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """Settings of traces, metrics, events and records; without an OpenTelemetry SDK they cost microseconds.

    Attributes:
        labels: Of every answer of this guard: application, model, retriever, index, release, topic. A process tells 100
            values of each apart. ``guardrail.telemetry.labels`` sets more for a block.
        recorder: Hears of every guarded answer, with its texts (``guardrail.telemetry.records.RecordStore``).
        capture_content: Whether texts of questions, answers, passages and prompts enter spans and events; None = as the
            variable OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT says, off by default.
        redact: Applied to each text that is captured; where it fails, the text stays out.
        claim_events: Whether each claim has an event ``gen_ai.evaluation.result``, not only each answer.
        tracer_provider: None = the global one, as for the others.
        meter_provider: See tracer_provider.
        logger_provider: See tracer_provider.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    recorder: Recorder | None = None
    capture_content: bool | None = None
    redact: Callable[[str], str] | None = None
    claim_events: bool = False
    tracer_provider: TracerProvider | None = None
    meter_provider: MeterProvider | None = None
    logger_provider: LoggerProvider | None = None
    content: Content | None = field(init=False, repr=False)
    tracer: Tracer = field(init=False, repr=False, compare=False)
    logger: Logger = field(init=False, repr=False, compare=False)
    instruments: Instruments = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.labels, Mapping):
            raise ConfigurationError(f"Telemetry: labels must be a mapping, got {type(self.labels).__name__}.")
        if self.recorder is not None and not isinstance(self.recorder, Recorder):
            raise ConfigurationError(
                f"Telemetry: recorder must have `record`, got {type(self.recorder).__name__}. "
                "See guardrail.telemetry.records.RecordStore."
            )
        if self.redact is not None and not callable(self.redact):
            raise ConfigurationError(f"Telemetry: redact must be callable, got {type(self.redact).__name__}.")
        made = {
            "labels": read_labels(self.labels),
            "content": Content(self.redact) if captures_content(self.capture_content) else None,
            "tracer": trace.get_tracer("guardrail", tracer_provider=self.tracer_provider),
            "logger": _logs.get_logger("guardrail", logger_provider=self.logger_provider),
            "instruments": instruments(self.meter_provider),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)
