"""The evaluation as one HTML page with its plots as inline SVG: no script, nothing from elsewhere, all text escaped.

page.css colours it, light or dark as the reader's system is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from guardrail.evaluation.measures import Bin, Evaluation, Level, SetMeasures, Slice, TypeShare
from guardrail.evaluation.wording import (
    SLICED,
    TITLES,
    abstained_line,
    cases_line,
    coverage_line,
    interval,
    mixed_line,
    number,
    plain,
)
from guardrail.types import Verdict

_MAX_BARS = 20

_SIDE, _LEFT, _TOP, _BOTTOM = 260, 46, 10, 40
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_BAR, _LABELS, _WIDTH, _VALUES = 22, 210, 260, 150
_RELIABILITY = (
    "How to read it: each dot holds about a tenth of the judged rows, from the lowest scores to the highest; a larger "
    "dot holds more. On the diagonal a score of 0.8 means that 8 of 10 are supported. Below it the scores promise too "
    "much, above it too little."
)
_ROC = (
    "How to read it: every point is a threshold. Higher is more errors found, further right is more false alarms. The "
    "dot is the shipped threshold, the line at the left is 5 % false alarms, the dashed curve is word overlap alone. "
    "The diagonal is chance."
)
_BARS = (
    "How to read it: the share of answers of each kind that is flagged, with its 95 % interval. The first bar and the "
    "dashed line are supported answers flagged wrongly: a bar that does not pass the line finds no more than chance. "
    f"At most the {_MAX_BARS} most frequent kinds are drawn."
)


def render(evaluation: Evaluation) -> str:
    """The page."""
    style = files("guardrail.evaluation").joinpath("page.css").read_text(encoding="utf-8")
    sections = "".join(_section(measured) for measured in evaluation.sets)
    subject = f"engine {evaluation.engine}, policy {evaluation.policy}, threshold {evaluation.threshold:g}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>guardrail eval</title><style>{style}</style></head><body><main>"
        f"<h1>Evaluation</h1><p>{escape(subject)}. Errors are all labels but supported. Brackets hold 95 % bootstrap "
        "intervals over cases. The best threshold was chosen on the same "
        f"rows, so it flatters.</p>{_summary(evaluation)}{sections}</main></body></html>\n"
    )


def _summary(evaluation: Evaluation) -> str:
    rows = [
        [measured.name, level.level, f"{level.n}", *(interval(level.figures[f]) for f in TITLES), f"{level.not_judged}"]
        for measured in evaluation.sets
        for level in measured.levels
    ]
    if len(evaluation.sets) > 1:
        rows.append(["mean", "first of each set", "", *(number(evaluation.mean[f]) for f in TITLES), ""])
    return _table(["data set", "level", "rows", *TITLES.values(), "not judged"], rows)


def _section(measured: SetMeasures) -> str:
    notes = []
    if measured.abstained:
        notes.append(f"Answers that decline, seen as such: {abstained_line(measured)}.")
    if measured.mixed is not None:
        notes.append(f"Mixed-up namesakes: {mixed_line(measured.mixed)}.")
    lines = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<section><h2>{escape(plain(measured.name))}</h2>{lines}{''.join(map(_level, measured.levels))}</section>"


def _level(level: Level) -> str:
    wrong = level.n - level.supported
    best = number(level.best_threshold)
    text = (
        f"{level.n} rows in {cases_line(level.cases)}: {level.supported} supported, {wrong} with errors. "
        f"Best threshold {best}. Not judged: "
        f"{level.not_judged}; taken for declining: {level.called_abstained}. Accuracy on the rest when the unsurest "
        f"are handed on: {coverage_line(level)}."
    )
    figures = [_figure(_reliability_plot(level.calibration), _RELIABILITY)] if level.calibration else []
    if level.roc:
        figures.append(_figure(_roc_plot(level), _ROC))
    if level.types:
        figures.append(_figure(_bar_plot(level.types), _BARS))
    tables = [_types(level.types)] if level.types else []
    tables += [_slices(name, part) for name, part in (("language", level.languages), ("length", level.lengths)) if part]
    return (
        f"<h3>{escape(level.level)}</h3><p>{escape(text)}</p>"
        f'<div class="plots">{"".join(figures)}</div>{"".join(tables)}'
    )


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _types(types: Sequence[TypeShare]) -> str:
    rows = [[t.name, f"{t.n}", interval(t.flagged), number(t.named), f"{t.not_judged}"] for t in types]
    return _table(["error type", "rows", "flagged", "type named right", "not judged"], rows)


def _slices(name: str, slices: Sequence[Slice]) -> str:
    rows = [[s.name, f"{s.n}", *(interval(s.figures[f]) for f in SLICED), f"{s.not_judged}"] for s in slices]
    return _table([name, "rows", *(TITLES[f] for f in SLICED), "not judged"], rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(plain(cell))}</th>' for cell in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(plain(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _reliability_plot(bins: Sequence[Bin]) -> str:
    """Mean score against share supported, one dot per bin, its area by its rows."""
    most = max((b.n for b in bins), default=1)
    dots = "".join(
        f'<circle class="dot" cx="{_x(b.score):.1f}" cy="{_y(b.supported):.1f}" r="{3 + 4 * (b.n / most) ** 0.5:.1f}">'
        f"<title>{b.n} rows: mean score {b.score:.2f}, supported {b.supported:.2f}</title></circle>"
        for b in bins
    )
    line = _line(((b.score, b.supported) for b in bins), "curve")
    return _square("Reliability diagram", "score", "share supported", _DIAGONAL + line + dots)


def _roc_plot(level: Level) -> str:
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


def _bar_plot(types: Sequence[TypeShare]) -> str:
    """Share flagged per error type with its interval; the first bar and the dashed line are the false alarms."""
    shown = _most_frequent(types)
    height = _TOP + _BAR * len(shown) + _BOTTOM
    alarms = next((t.flagged.value for t in shown if t.name == Verdict.SUPPORTED.value), None)
    parts = [_grid_of_bars(len(shown)), *(_bar(kind, _TOP + row * _BAR) for row, kind in enumerate(shown))]
    if alarms is not None:
        x = _LABELS + _WIDTH * alarms
        bottom = _TOP + _BAR * len(shown)
        parts.append(f'<line class="alarm" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>')
    return _svg("Share flagged per error type", _LABELS + _WIDTH + _VALUES, height, "".join(parts))


def _most_frequent(types: Sequence[TypeShare]) -> list[TypeShare]:
    first = [t for t in types if t.name == Verdict.SUPPORTED.value]
    rest = sorted((t for t in types if t not in first), key=lambda t: -t.n)[:_MAX_BARS]
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
