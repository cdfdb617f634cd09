"""Draws the dashboard's panels from a Prometheus into one picture, for places without Grafana.

python examples/monitoring/panels.py --prometheus http://localhost:9090 --out dashboard.png --since 10m

It asks the queries that Grafana asks (dashboard.py) and needs matplotlib.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import matplotlib as mpl
from dashboard import SHIPPED, Dashboard, Panel, Prometheus, Series, Window, ask, substitute
from numbers_as_shown import show
from table_of_series import columns, rows

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

WIDTH, ROW, GAP, HEAD = 1800, 30, 8, 54  # pixels: the picture, a unit of Grafana's grid, between panels, the title
PAGE, CARD, EDGE, INK, DIM = "#111217", "#181b1f", "#2c3036", "#d8d9da", "#8e9099"
COLORS = {
    "green": "#73bf69", "orange": "#ff9830", "red": "#f2495c", "blue": "#5794f2", "purple": "#b877d9",
    "yellow": "#fade2a", "text": "#9fa7b3", "semi-dark-orange": "#ff780a", "transparent": CARD,
}  # fmt: skip
PALETTE = ("#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#5794f2", "#b877d9", "#705da0", "#37872d", "#fade2a")
Values = dict[str, tuple[str, ...]]
Marks = Sequence[tuple[float, str, str]]
"""Annotations: unix seconds, text, colour."""


class Sheet:
    """The picture, in pixels from its upper left corner."""

    def __init__(self, height: int) -> None:
        self.height = height
        self.figure = plt.figure(figsize=(WIDTH / 100, height / 100), dpi=100, facecolor=PAGE)
        self.page = self.axes(0, 0, WIDTH, height)
        self.page.set_axis_off()

    def axes(self, x: float, y: float, w: float, h: float) -> Axes:
        """Axes whose data are pixels, until told otherwise."""
        axes = self.figure.add_axes((x / WIDTH, 1 - (y + h) / self.height, w / WIDTH, h / self.height))
        axes.set(xlim=(0, w), ylim=(h, 0), facecolor="none")
        return axes

    def write(self, x: float, y: float, text: str, size: float = 9, color: str = INK, **more: Any) -> None:
        """Text with its middle at the height y; ``$`` is no mathematics."""
        text = text.replace("$", r"\$")
        self.page.text(x, y, text, fontsize=size, color=color, va=more.pop("va", "center"), **more)

    def card(self, x: float, y: float, w: float, h: float) -> None:
        """The background of a panel."""
        box = FancyBboxPatch((x, y), w, h, boxstyle="round,pad=0,rounding_size=3", fc=CARD, ec=EDGE, lw=0.8)
        self.page.add_patch(box)


def draw(board: Dashboard, prometheus: Prometheus, values: Values, window: Window) -> Sheet:
    """All panels with their data over the window."""
    panels = board.panels
    sheet = Sheet(HEAD + ROW * max(y + h for _, y, _, h in (p.grid for p in panels)) + GAP)
    started, ended = (datetime.fromtimestamp(at, UTC) for at in (window.start, window.end))
    sheet.write(2 * GAP, HEAD / 2, board.raw["title"], 15, weight="bold")
    sheet.write(WIDTH - 2 * GAP, HEAD / 2, f"{started:%Y-%m-%d %H:%M:%S} to {ended:%H:%M:%S} UTC", 10, DIM, ha="right")
    marks = _marks(board, prometheus, values, window)
    for panel in panels:
        x, y = GAP + panel.grid[0] * (WIDTH - GAP) / 24, HEAD + panel.grid[1] * ROW
        w, h = panel.grid[2] * (WIDTH - GAP) / 24 - GAP, panel.grid[3] * ROW - GAP
        title = substitute(panel.title, values)
        if panel.type == "row":
            sheet.write(x, y + h / 2 + 2, f"▾  {title}", 12, weight="bold")
            continue
        sheet.card(x, y, w, h)
        sheet.write(x + 10, y + 15, title, 9.5)
        answers = [ask(prometheus, target, values, window) for target in panel.targets]
        inside = (x + 10, y + 30, w - 20, h - 38)
        if panel.type != "text" and not any(answers):
            sheet.write(x + w / 2, y + h / 2 + 8, "No data", 11, DIM, ha="center")
        elif panel.type == "timeseries":
            _timeseries(sheet, panel, [s for series in answers for s in series], inside, window, marks)
        elif panel.type == "heatmap":
            _heatmap(sheet, panel, answers[0], inside, window)
        else:
            _DRAWN[panel.type](sheet, panel, answers, inside, values)
    return sheet


def _marks(board: Dashboard, prometheus: Prometheus, values: Values, window: Window) -> Marks:
    found = []
    for annotation in board.annotations:
        for series in ask(prometheus, annotation["target"], values, window):
            text = re.sub(r"\{\{(\w+)\}\}", lambda match, s=series: s.labels.get(match[1], ""), annotation["titleFormat"])
            found.append((series.points[0][0], text, COLORS[annotation["iconColor"]]))
    return found


def _timeseries(
    sheet: Sheet,
    panel: Panel,
    series: list[Series],
    inside: tuple[float, float, float, float],
    window: Window,
    marks: Marks,
) -> None:
    x, y, w, h = inside
    look = panel.raw["fieldConfig"]["defaults"]
    unit, stacked = look["unit"], look["custom"]["stacking"]["mode"] == "normal"
    legend_lines = _legend(sheet, panel, series, x, y + h - 8, w, unit)
    axes = sheet.axes(x + 46, y, w - 50, h - 26 - 15 * legend_lines)
    axes.set_xlim(window.start, window.end)
    times = sorted({at for s in series for at, _ in s.points})
    colors = [_color(panel, s.name, i) for i, s in enumerate(series)]
    if stacked:
        by_time = [dict(s.points) for s in series]
        heights = [[0.0 if (v := of.get(at, 0.0)) != v else v for at in times] for of in by_time]
        axes.stackplot(times, heights, colors=colors, alpha=0.75, lw=0)
    for s, color in zip(series, colors, strict=True):
        if not stacked:
            dashed = s.name.startswith("baseline")
            alone = "." if len(s.points) == 1 else ""
            axes.plot(*zip(*s.points, strict=True), color=color, lw=1.3, ls="--" if dashed else "-", marker=alone)
    top = max(axes.get_ylim()[1], axes.dataLim.y1 * 1.05)
    axes.set_ylim(look.get("min", 0), look.get("max", top if top > 0 else 1))
    for step in look["thresholds"]["steps"]:
        if look["custom"]["thresholdsStyle"]["mode"] != "off" and step["value"] is not None:
            axes.axhline(step["value"], color=COLORS[step["color"]], lw=0.8, ls=(0, (4, 4)))
    for at, text, color in marks:
        if window.start <= at <= window.end:
            axes.axvline(at, color=color, lw=1, ls=(0, (3, 2)))
            if panel.grid[2] >= 16:
                near = [m for m in marks[: marks.index((at, text, color))] if abs(m[0] - at) < (window.end - window.start) / 8]
                late = at > window.end - (window.end - window.start) / 6
                axes.text(
                    at, 0.97 - 0.1 * len(near), f" {text} ", color=color, fontsize=8.5, va="top",
                    ha="right" if late else "left", transform=axes.get_xaxis_transform(),
                )  # fmt: skip
    _axis(axes, window, unit)


def _axis(axes: Axes, window: Window, unit: str) -> None:
    axes.spines[:].set_visible(False)
    axes.tick_params(colors=DIM, labelsize=8, length=0)
    axes.grid(color=EDGE, lw=0.6)
    axes.locator_params(axis="y", nbins=5)
    axes.yaxis.set_major_formatter(lambda value, _: show(value, unit))
    ticks = [window.start + (window.end - window.start) * i / 5 for i in range(1, 5)]
    axes.set_xticks(ticks, [f"{datetime.fromtimestamp(at, UTC):%H:%M:%S}"[: 8 if window.end - window.start < 1800 else 5] for at in ticks])
    axes.set_axisbelow(True)


def _legend(sheet: Sheet, panel: Panel, series: list[Series], x: float, y: float, w: float, unit: str) -> int:
    """Names below the axes, from the bottom up; returns the number of lines."""
    with_value = bool(panel.raw["options"]["legend"]["calcs"])
    lines: list[list[tuple[int, str, float]]] = [[]]
    left = 0.0
    for i, s in enumerate(series):
        text = f"{s.name or 'all'}  {show(s.points[-1][1], unit)}" if with_value else s.name or "all"
        width = 30 + 6.6 * len(text)
        if lines[-1] and left + width > w:
            lines.append([])
            left = 0.0
        lines[-1].append((i, text, left))
        left += width
    lines = lines[:3]
    for n, line in enumerate(lines):
        at = y - 15 * (len(lines) - 1 - n)
        for i, text, offset in line:
            sheet.page.add_patch(Rectangle((x + offset, at - 2), 12, 4, fc=_color(panel, series[i].name, i), lw=0))
            sheet.write(x + offset + 16, at, text, 8, DIM)
    return len(lines)


def _color(panel: Panel, name: str, i: int) -> str:
    for override in panel.raw["fieldConfig"]["overrides"]:
        matcher = override["matcher"]
        pattern = matcher["options"] if matcher["id"] == "byRegexp" else re.escape(matcher["options"])
        for change in override["properties"]:
            if re.fullmatch(pattern, name) and change["id"] == "color" and "fixedColor" in change["value"]:
                return COLORS[change["value"]["fixedColor"]]
    return PALETTE[i % len(PALETTE)]


def _step_color(steps: Sequence[dict[str, Any]], value: float) -> str:
    passed = [s["color"] for s in steps if s["value"] is None or value >= s["value"]]
    return COLORS[passed[-1]] if passed else INK


def _stat(sheet: Sheet, panel: Panel, answers: Sequence[Sequence[Series]], inside: tuple[float, ...], _: Values) -> None:
    x, y, w, h = inside
    look = panel.raw["fieldConfig"]["defaults"]
    points = answers[0][0].points
    value = points[-1][1]
    color = _step_color(look["thresholds"]["steps"], value)
    if len(points) > 1:
        axes = sheet.axes(x - 9, y + h * 0.55, w + 18, h * 0.45 + 7)
        axes.set_axis_off()
        axes.set(xlim=(points[0][0], points[-1][0]), ylim=(0, max(v for _, v in points) * 1.1 or 1))
        axes.fill_between(*zip(*points, strict=True), color=color, alpha=0.25, lw=0)
        axes.plot(*zip(*points, strict=True), color=color, lw=1)
    at = y + h * (0.3 if len(points) > 1 else 0.48)
    sheet.write(x + w / 2, at, show(value, look["unit"], look.get("decimals")), 24, color, ha="center", weight="bold")


def _bargauge(sheet: Sheet, panel: Panel, answers: Sequence[Sequence[Series]], inside: tuple[float, ...], _: Values) -> None:
    x, y, w, h = inside
    series = sorted((s for found in answers for s in found), key=lambda s: -s.points[-1][1])
    most = max(s.points[-1][1] for s in series)
    above = panel.raw["options"]["namePlacement"] == "top"
    slot = min(h / len(series), 56 if above else 40)
    names = 0 if above else w * 0.42
    for i, s in enumerate(series):
        value, middle = s.points[-1][1], y + slot * (i + (0.68 if above else 0.5))
        bar = (w - names - 50) * value / most
        shade = mpl.colormaps["YlOrRd"](0.25 + 0.6 * value / most) if "Yl" in _scheme(panel) else _color(panel, s.name, i)
        thick = slot * (0.4 if above else 0.72)
        if above:
            sheet.write(x, middle - slot * 0.42, s.name, 8.5, DIM)
        else:
            sheet.write(x + names - 8, middle, s.name, 8.5, DIM, ha="right")
        for length, color in ((w - names - 50, "#22252b"), (bar, shade)):
            sheet.page.add_patch(Rectangle((x + names, middle - thick / 2), length, thick, fc=color, lw=0))
        sheet.write(x + w, middle, show(value, "short", 0), 9, INK, ha="right")


def _scheme(panel: Panel) -> str:
    return str(panel.raw["fieldConfig"]["defaults"]["color"]["mode"])


def _table(sheet: Sheet, panel: Panel, answers: Sequence[Sequence[Series]], inside: tuple[float, ...], _: Values) -> None:
    x, y, w, h = inside
    found = rows(panel.raw, answers)
    names = columns(panel.raw, found)
    overrides = {o["matcher"]["options"]: {p["id"]: p["value"] for p in o["properties"]} for o in panel.raw["fieldConfig"]["overrides"]}
    for c, name in enumerate(names):
        left = x + w * c / len(names)
        sheet.write(left, y + 4, name, 8.5, COLORS["blue"])
        how = overrides.get(name, {})
        for r, row in enumerate(found[: int((h - 18) / 20)]):
            middle = y + 26 + 20 * r
            if c == 0:
                sheet.page.plot((x, x + w), (middle - 10, middle - 10), color=EDGE, lw=0.6)
            value = row.get(name, "")
            steps = how.get("thresholds", {}).get("steps")
            color = _step_color(steps, value) if steps and isinstance(value, float) else INK
            mapped = {k: v["color"] for m in how.get("mappings", ()) for k, v in m["options"].items()}
            color = COLORS[mapped[value]] if value in mapped else color
            text = show(value, how.get("unit", "short"), how.get("decimals")) if isinstance(value, float) else str(value)
            room = int(w / len(names) / 6.6)
            sheet.write(left, middle, text if len(text) <= room else text[: room - 2] + "..", 9, color)


def _heatmap(sheet: Sheet, panel: Panel, found: Sequence[Series], inside: tuple[float, ...], window: Window) -> None:
    x, y, w, h = inside
    series = sorted(found, key=lambda s: float(s.labels["le"]))
    times = sorted({at for s in series for at, _ in s.points})
    upto = [[dict(s.points).get(at, 0.0) for at in times] for s in series]
    cells = [upto[0], *([max(0.0, b - a) for a, b in zip(low, high, strict=True)] for low, high in zip(upto, upto[1:], strict=False))]
    axes = sheet.axes(x + 46, y, w - 50, h - 20)
    axes.set_ylim(0, len(series))
    scheme = panel.raw["options"]["color"]["scheme"].lower().replace("oranges", "Oranges_r")
    cut = [[cell if cell > 0 else float("nan") for cell in row] for row in cells]
    edges = [times[0] - window.step, *times]
    axes.pcolormesh(edges, range(len(series) + 1), cut, cmap=scheme, norm=mpl.colors.PowerNorm(0.5), rasterized=True)
    axes.set_xlim(window.start, window.end)
    _axis(axes, window, "short")
    unit = panel.raw["options"]["yAxis"]["unit"]
    every = range(0, len(series), 2)
    axes.set_yticks([i + 1 for i in every], [show(float(series[i].labels["le"]), unit) for i in every])
    axes.grid(visible=False)


def _text(sheet: Sheet, panel: Panel, _: object, inside: tuple[float, ...], values: Values) -> None:
    x, y, w, _h = inside
    code, at = False, y + 6
    for line in substitute(panel.raw["options"]["content"], values).splitlines():
        if line == "```":
            code = not code
            continue
        if code:
            sheet.page.add_patch(Rectangle((x, at - 10), w, 22, fc=PAGE, ec=EDGE, lw=0.6))
            sheet.write(x + 8, at + 1, line, 9, family="monospace")
            at += 24
            continue
        for piece in _wrapped(re.sub(r"\*\*|`", "", line), int(w / 6.9)) or [""]:
            sheet.write(x, at, piece, 9.5)
            at += 18 if piece else 6


def _wrapped(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width, break_long_words=False)


_DRAWN = {"stat": _stat, "bargauge": _bargauge, "table": _table, "text": _text}


def save(sheet: Sheet, path: Path) -> None:
    """Write a PNG of few colours: a tenth of the size, the same to the eye."""
    import io

    from PIL import Image

    whole = io.BytesIO()
    sheet.figure.savefig(whole, facecolor=PAGE)
    plt.close(sheet.figure)
    Image.open(whole).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Read the command line, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prometheus", required=True, help="URL of the server")
    parser.add_argument("--out", required=True, type=Path, help="the PNG to write")
    parser.add_argument("--since", default="1h", help="how far back: 10m, 1h, 2d")
    parser.add_argument("--until", type=float, default=None, help="end, in unix seconds (now)")
    parser.add_argument("--dashboard", type=Path, default=SHIPPED)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable, such as window=1m")
    given = parser.parse_args()
    match = re.fullmatch(r"(\d+)([smhd])", given.since)
    if match is None:
        parser.error(f"--since must be a number with s, m, h or d, got {given.since!r}")
    end = time.time() if given.until is None else given.until
    seconds = int(match[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]]
    prometheus = Prometheus(given.prometheus)
    board = Dashboard.read(given.dashboard)
    chosen = {name: tuple(value.split(",")) for name, _, value in (pair.partition("=") for pair in given.set)}
    values = board.values(prometheus, chosen)
    window = Window(end - seconds, end, prometheus.scrape_interval())
    save(draw(board, prometheus, values, window), given.out)
    print(f"{given.out}: {len(board.panels)} panels, {given.out.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
