"""What the example prints: the glance at the dashboard, the alert, and the slice to blame."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict

from reading import UNFAITHFUL, Alert, Counts, Reading

WIDTH = 110
_JUDGED = ("supported", *UNFAITHFUL)


def line(seconds: float, reading: Reading) -> str:
    """One reading on one line."""
    share = "  - " if reading.unfaithful is None else f"{reading.unfaithful:4.0%}"
    p95 = "   - " if reading.p95 is None else f"{reading.p95 * 1000:4.0f} ms"
    alerts = "; ".join(_named(reading, state) for state in ("firing", "pending") if _named(reading, state))
    return (
        f"{seconds:5.0f} s  {reading.per_second:4.1f} answers/s  unfaithful {share}  guard p95 {p95}  {alerts}".rstrip()
    )


def alert(found: Alert) -> str:
    """An alert with what it says to whoever is called."""
    said = textwrap.fill(found.description, WIDTH, initial_indent="  ", subsequent_indent="  ")
    return f"{found.name} ({found.severity})\n  {found.summary}\n{said}"


def slices(counts: Counts) -> str:
    """Share of unfaithful answers by topic (lines) and index (columns); other labels in a line below."""
    table: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for labels, answers in counts:
        if labels["verdict"] in _JUDGED:
            cell = table[labels.get("topic", ""), labels.get("index", "")]
            cell[0] += answers * (labels["verdict"] in UNFAITHFUL)
            cell[1] += answers
    topics, indexes = (sorted({key[n] for key in table}) for n in (0, 1))
    lines = [" " * 12 + "".join(f"{index:>14}" for index in indexes)]
    for topic in topics:
        cells = [table[topic, index] for index in indexes]
        lines.append(f"  {topic:<10}" + "".join(f"{bad / every if every else 0:14.0%}" for bad, every in cells))
    return "\n".join(lines)


def _named(reading: Reading, state: str) -> str:
    names = Counter(alert.name.removeprefix("Guardrail") for alert in reading.alerts if alert.state == state)
    return f"{state} {', '.join(name if n == 1 else f'{name} x{n}' for name, n in names.items())}" if names else ""
