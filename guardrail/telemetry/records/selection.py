"""Which records a question is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from guardrail.errors import UsageError, did_you_mean
from guardrail.telemetry.labels import KEYS
from guardrail.telemetry.records.database import storable
from guardrail.types import ErrorType, Verdict

When = datetime | timedelta | float
"""A time, how long ago, or Unix seconds. A time without a zone is local."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Conditions that all have to hold; None and {} leave open.

    ``faulty``: somebody may have to look at it (True), or nothing was objected to (False).
    """

    since: When | None = None
    until: When | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict | str | None = None
    error_type: ErrorType | str | None = None
    labelled: bool | None = None
    faulty: bool | None = None

    def where(self, now: float) -> tuple[str, list[object]]:
        """The condition in SQL with its values.

        Raises:
            UsageError: no such verdict, error type or label.
        """
        parts: list[str] = ["1"]
        values: list[object] = []
        for bound, comparison in ((self.since, ">="), (self.until, "<")):
            if bound is not None:
                parts.append(f"at {comparison} ?")
                values.append(_seconds(bound, now))
        for key, value in self.labels.items():
            if key not in KEYS:
                raise UsageError(f"unknown label {key!r}. {did_you_mean(str(key), KEYS)}")
            parts.append("json_extract(labels, ?) = ?")
            values += [f"$.{key}", storable(value)]
        if self.verdict is not None:
            parts.append("verdict = ?")
            values.append(_known(self.verdict, "verdict", [v.value for v in Verdict]))
        if self.error_type is not None:
            parts.append("instr(error_types, ?)")
            values.append(f",{_known(self.error_type, 'error type', [e.value for e in ErrorType])},")
        if self.labelled is not None:
            parts.append(f"(label IS NULL AND finding_labels IS NULL) = {int(not self.labelled)}")
        if self.faulty is not None:
            parts.append(f"clean = {int(not self.faulty)}")
        return " AND ".join(parts), values


def _known(value: str, what: str, names: list[str]) -> str:
    if value not in names:
        raise UsageError(f"unknown {what} {str(value)!r}. {did_you_mean(str(value), names)}")
    return str(value)


def _seconds(when: When, now: float) -> float:
    if isinstance(when, timedelta):
        return now - when.total_seconds()
    if isinstance(when, datetime):
        return when.astimezone(UTC).timestamp()
    if isinstance(when, bool) or not isinstance(when, (int, float)):
        raise UsageError(f"a time must be a datetime, a timedelta or Unix seconds, got {when!r:.60}.")
    return float(when)
