"""The three plots as inline SVG, coloured by the page's style sheet (page.py). All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from guardrail.evaluation.measures import Bin, Level, TypeShare
from guardrail.evaluation.wording import plain
from guardrail.types import Verdict

MAX_BARS = 20

_SIDE, _LEFT, _TOP, _BOTTOM = 260, 46, 10, 40
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_BAR, _LABELS, _WIDTH, _VALUES = 22, 210, 260, 150


def reliability(bins: Sequence[Bin]) -> str:
    """Mean score against share supported, one dot per bin, its area by its rows."""
    most = max((b.n for b in bins), default=1)
    dots = "".join(
        f'<circle class="dot" cx="{_x(b.score):.1f}" cy="{_y(b.supported):.1f}" r="{3 + 4 * (b.n / most) ** 0.5:.1f}">'
        f"<title>{b.n} rows: mean score {b.score:.2f}, supported {b.supported:.2f}</title></circle>"
        for b in bins
    )
    line = _line(((b.score, b.supported) for b in bins), "curve")
    return _square("Reliability diagram", "score", "share supported", _DIAGONAL + line + dots)


def roc(level: Level) -> str:
    """Errors found against false alarms, with the baseline's curve and the guard's own threshold as a dot."""
    found, alarms = level.figures["error_recall"].value, level.figures["false_alarm_rate"].value
    dot = ""
    if found is not None and alarms is not None:
        dot = (
            f'<circle class="dot" cx="{_x(alarms):.1f}" cy="{_y(found):.1f}" r="5">'
            f"<title>shipped threshold: {found:.2f} of errors found, {alarms:.2f} false alarms</title></circle>"
        )
    five = f'<line class="mark" x1="{_x(0.05):.1f}" y1="{_y(0):.1f}" x2="{_x(0.05):.1f}" y2="{_y(1):.1f}"/>'
    curves = _line(level.overlap_roc, "baseline") + _line(level.roc, "curve")
    return _square("ROC curve", "false alarms", "errors found", _DIAGONAL + five + curves + dot)


def bars(types: Sequence[TypeShare]) -> str:
    """Share flagged per error type with its interval; the first bar and the dashed line are the false alarms."""
    shown = _most_frequent(types)
    height = _TOP + _BAR * len(shown) + _BOTTOM
    alarms = next((t.flagged.value for t in shown if t.name == Verdict.SUPPORTED.value), None)
    parts = [_grid_of_bars(len(shown))]
    for number, kind in enumerate(shown):
        parts.append(_bar(kind, _TOP + number * _BAR))
    if alarms is not None:
        x = _LABELS + _WIDTH * alarms
        bottom = _TOP + _BAR * len(shown)
        parts.append(f'<line class="alarm" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>')
    return _svg("Share flagged per error type", _LABELS + _WIDTH + _VALUES, height, "".join(parts))


def _most_frequent(types: Sequence[TypeShare]) -> list[TypeShare]:
    first = [t for t in types if t.name == Verdict.SUPPORTED.value]
    rest = sorted((t for t in types if t not in first), key=lambda t: -t.n)[:MAX_BARS]
    return first + [t for t in types if t in rest]


def _bar(kind: TypeShare, top: float) -> str:
    value = kind.flagged.value or 0.0
    style = "false" if kind.name == Verdict.SUPPORTED.value else "found"
    label = "supported (false alarms)" if style == "false" else plain(kind.name)
    middle = top + _BAR / 2
    whisker = ""
    if kind.flagged.low is not None and kind.flagged.high is not None:
        low, high = _LABELS + _WIDTH * kind.flagged.low, _LABELS + _WIDTH * kind.flagged.high
        whisker = f'<line class="whisker" x1="{low:.1f}" y1="{middle:.1f}" x2="{high:.1f}" y2="{middle:.1f}"/>'
    named = "" if kind.named is None else f", named {kind.named:.2f}"
    short = label if len(label) <= 32 else label[:31] + "…"
    return (
        f'<text class="label" x="{_LABELS - 8}" y="{middle + 4:.1f}" text-anchor="end">{escape(short)}'
        f"<title>{escape(label)}</title></text>"
        f'<rect class="{style}" x="{_LABELS}" y="{top + 4:.1f}" width="{_WIDTH * value:.1f}" height="{_BAR - 8}"/>'
        f"{whisker}"
        f'<text class="label" x="{_LABELS + _WIDTH + 10}" y="{middle + 4:.1f}">'
        f"{value:.2f} of {kind.n}{named}</text>"
    )


def _grid_of_bars(rows: int) -> str:
    bottom = _TOP + _BAR * rows
    parts = []
    for tick in _TICKS:
        x = _LABELS + _WIDTH * tick
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    x = _LABELS + _WIDTH / 2
    parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 32}" text-anchor="middle">share flagged</text>')
    return "".join(parts)


def _x(value: float) -> float:
    return _LEFT + _SIDE * value


def _y(value: float) -> float:
    return _TOP + _SIDE * (1 - value)


_DIAGONAL = f'<line class="mark" x1="{_x(0):.1f}" y1="{_y(0):.1f}" x2="{_x(1):.1f}" y2="{_y(1):.1f}"/>'


def _line(points: Iterable[tuple[float, float]], style: str) -> str:
    path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    return f'<polyline class="{style}" points="{path}"/>'


def _square(title: str, across: str, up: str, inside: str) -> str:
    """A plot of two shares."""
    grid = []
    for tick in _TICKS:
        grid.append(f'<line class="grid" x1="{_x(tick):.1f}" y1="{_y(0):.1f}" x2="{_x(tick):.1f}" y2="{_y(1):.1f}"/>')
        grid.append(f'<line class="grid" x1="{_x(0):.1f}" y1="{_y(tick):.1f}" x2="{_x(1):.1f}" y2="{_y(tick):.1f}"/>')
        grid.append(f'<text class="tick" x="{_x(tick):.1f}" y="{_y(0) + 16}" text-anchor="middle">{tick:g}</text>')
        grid.append(f'<text class="tick" x="{_x(0) - 6}" y="{_y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    names = (
        f'<text class="tick" x="{_x(0.5):.1f}" y="{_y(0) + 34}" text-anchor="middle">{escape(across)}</text>'
        f'<text class="tick" x="12" y="{_y(0.5):.1f}" text-anchor="middle" '
        f'transform="rotate(-90 12 {_y(0.5):.1f})">{escape(up)}</text>'
    )
    return _svg(title, _LEFT + _SIDE + 12, _TOP + _SIDE + _BOTTOM, "".join(grid) + inside + names)


def _svg(title: str, width: float, height: float, inside: str) -> str:
    return (
        f'<svg role="img" aria-label="{escape(title)}" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}">{inside}</svg>'
    )
