"""What became of one answer, for a record store or whatever else wants to hear of every answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from guardrail.types import GuardedAnswer, Report, Verdict

ABANDONED = "abandoned"
"""Action where the reader of a stream, or who awaited an answer, left before its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One guarded answer, with its texts.

    ``report`` is of the answer as it was generated; where a repair put another in its place, ``guarded.report`` is of
    that. ``guarded`` is None where the answer was only checked. ``action`` is what was done with the answer: ``none``
    where it was only checked, ``regenerate`` or ``rewrite`` where a new one took its place, ``abandoned`` where the
    reader of a stream, or who awaited the answer, left: then ``report`` is of what had come, as far as it was checked.

    ``id``: 32 hex digits. ``at``: Unix seconds. ``seconds``: what the guard added. ``trace_id`` (32 hex digits) and
    ``span_id`` (16) name the span ``guardrail.check``; None without tracing. ``stages``: seconds by stage.
    """

    id: str
    at: float
    seconds: float
    policy: str
    report: Report
    guarded: GuardedAnswer | None = None
    action: str = "none"
    labels: Mapping[str, str] = field(default_factory=dict)
    trace_id: str | None = None
    span_id: str | None = None
    stages: Mapping[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """Of the answer as it was generated."""
        return self.report.verdict

    @property
    def score(self) -> float:
        """Of the answer as it was generated (0..1)."""
        return self.report.score


@runtime_checkable
class Recorder(Protocol):
    """Hears of every guarded answer."""

    def record(self, outcome: Outcome) -> None:
        """Take note, at once: the caller waits. What it raises is logged and changes nothing."""
        ...
