"""Traces, metrics and evaluation events of guarded answers, through opentelemetry-api only (docs/monitoring.md).

Texts never enter them unless the service asks for it. What an SDK, exporter or recorder does never changes a decision.
"""

from guardrail.telemetry.chat import Chat, chat
from guardrail.telemetry.events import evaluated
from guardrail.telemetry.labels import labels
from guardrail.telemetry.observation import Observation, active, add_usage, join, observe
from guardrail.telemetry.outcome import Outcome, Recorder
from guardrail.telemetry.settings import Telemetry
from guardrail.telemetry.spans import SCHEMA
from guardrail.telemetry.stages import record_attempt, record_error, stage

__all__ = [
    "SCHEMA",
    "Chat",
    "Observation",
    "Outcome",
    "Recorder",
    "Telemetry",
    "active",
    "add_usage",
    "chat",
    "evaluated",
    "join",
    "labels",
    "observe",
    "record_attempt",
    "record_error",
    "stage",
]
