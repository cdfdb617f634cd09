"""What somebody on call looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

UNFAITHFUL = ("contradicted", "unsupported")

Counts = list[tuple[Mapping[str, str], float]]
"""Labels and value of each series."""


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert as Prometheus has it; ``state`` is pending or firing."""

    name: str
    state: str
    severity: str
    summary: str
    description: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The last seconds: answers per second, share that is unfaithful (0..1), seconds that the guard adds (p95)."""

    per_second: float = 0.0
    unfaithful: float | None = None
    p95: float | None = None
    alerts: tuple[Alert, ...] = ()
