"""Panels over time: lines, stacked areas and heatmaps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

import matplotlib as mpl
from matplotlib.axes import Axes

from drawing.dashboard import Panel, Series, Window
from drawing.numbers import show
from drawing.sheet import COLORS, DIM, EDGE, Box, Sheet, series_color

Mark = tuple[float, str, str]
"""An annotation: unix seconds, text, colour."""

_LEFT, _BELOW, _LINE = 46, 26, 15
"""Pixels for the numbers beside the axes, for the times below, and for a line of the legend."""


def timeseries(
    sheet: Sheet, panel: Panel, series: Sequence[Series], inside: Box, window: Window, marks: Sequence[Mark]
) -> None:
    """Lines or stacked areas, thresholds and annotations; texts of annotations where the panel is wide."""
    x, y, w, h = inside
    colors = [series_color(panel, s.name, i) for i, s in enumerate(series)]
    lines = _legend(sheet, panel, series, colors, inside)
    axes = sheet.axes((x + _LEFT, y, w - _LEFT - 4, h - _BELOW - _LINE * lines))
    axes.set_xlim(window.start, window.end)
    if panel.look["custom"]["stacking"]["mode"] == "normal":
        times = sorted({at for s in series for at, _ in s.points})
        heights = [[points.get(at, 0.0) for at in times] for points in (dict(s.points) for s in series)]
        axes.stackplot(times, heights, colors=colors, alpha=0.75, lw=0)
    else:
        for s, color in zip(series, colors, strict=True):
            style, alone = "--" if s.name.startswith("baseline") else "-", "." if len(s.points) == 1 else ""
            axes.plot(*zip(*s.points, strict=True), color=color, lw=1.3, ls=style, marker=alone)
    top = axes.dataLim.y1 * 1.05
    axes.set_ylim(panel.look.get("min", 0), panel.look.get("max", top if top > 0 else 1))
    if panel.look["custom"]["thresholdsStyle"]["mode"] != "off":
        for step in panel.look["thresholds"]["steps"][1:]:
            axes.axhline(step["value"], color=COLORS[step["color"]], lw=0.8, ls=(0, (4, 4)))
    _annotate(axes, window, marks, texts=panel.grid[2] >= 16)
    _axis(axes, window, panel.look["unit"])


def heatmap(sheet: Sheet, panel: Panel, series: Sequence[Series], inside: Box, window: Window) -> None:
    """Counts between two buckets of a histogram, over time."""
    x, y, w, h = inside
    buckets = sorted(series, key=lambda s: float(s.labels["le"]))
    times = sorted({at for s in buckets for at, _ in s.points})
    below = [[0.0] * len(times), *([dict(s.points).get(at, 0.0) for at in times] for s in buckets)]
    cells = [[b - a if b > a else float("nan") for a, b in zip(*rows, strict=True)] for rows in pairwise(below)]
    axes = sheet.axes((x + _LEFT, y, w - _LEFT - 4, h - 20))
    axes.set(xlim=(window.start, window.end), ylim=(0, len(buckets)))
    scheme = panel.raw["options"]["color"]["scheme"].lower().replace("oranges", "Oranges_r")
    edges = [times[0] - window.step, *times]
    axes.pcolormesh(edges, range(len(below)), cells, cmap=scheme, norm=mpl.colors.PowerNorm(0.5), rasterized=True)
    _axis(axes, window, "short")
    axes.grid(visible=False)
    unit = panel.raw["options"]["yAxis"]["unit"]
    axes.set_yticks(
        *zip(*((i + 1, show(float(s.labels["le"]), unit)) for i, s in list(enumerate(buckets))[::2]), strict=True)
    )


def _legend(sheet: Sheet, panel: Panel, series: Sequence[Series], colors: Sequence[str], inside: Box) -> int:
    """Names below the axes, in three lines at most; returns the number of lines."""
    x, y, w, h = inside
    with_value = bool(panel.raw["options"]["legend"]["calcs"])
    placed: list[tuple[int, float, str, str]] = []
    line, left = 0, 0.0
    for s, color in zip(series, colors, strict=True):
        name = f"{s.name or 'all'}  {show(s.points[-1][1], panel.look['unit'])}" if with_value else s.name or "all"
        width = 30 + 6.6 * len(name)
        if left and left + width > w:
            line, left = line + 1, 0.0
        if line > 2:
            break
        placed.append((line, left, name, color))
        left += width
    lines = placed[-1][0] + 1
    for line, left, name, color in placed:
        at = y + h - 8 - _LINE * (lines - 1 - line)
        sheet.bar((x + left, at - 2, 12, 4), color)
        sheet.write(x + left + 16, at, name, 8, DIM)
    return lines


def _annotate(axes: Axes, window: Window, marks: Sequence[Mark], *, texts: bool) -> None:
    """A line for each, and its text in the first lane that is free there."""
    taken: list[float] = []  # where the text in each lane ends, as a share of the width
    for at, text, color in sorted(marks):
        if not window.start <= at <= window.end:
            continue
        axes.axvline(at, color=color, lw=1, ls=(0, (3, 2)))
        start, long = (at - window.start) / (window.end - window.start), 0.012 + 0.0062 * len(text)
        start = start - long if start + long > 1 else start
        lane = next((i for i, end in enumerate(taken) if end <= start), len(taken))
        taken[lane : lane + 1] = [start + long]
        if texts and lane < 5:
            place = {"transform": axes.transAxes, "va": "top", "fontsize": 8.5, "color": color}
            axes.text(start, 0.98 - 0.1 * lane, f" {text}", **place)


def _axis(axes: Axes, window: Window, unit: str) -> None:
    axes.spines[:].set_visible(False)
    axes.tick_params(colors=DIM, labelsize=8, length=0)
    axes.grid(color=EDGE, lw=0.6)
    axes.locator_params(axis="y", nbins=5)
    axes.yaxis.set_major_formatter(lambda value, _: show(value, unit))
    length = window.end - window.start
    ticks = [window.start + length * i / 5 for i in range(1, 5)]
    shape = "%H:%M:%S" if length < 1800 else "%H:%M"
    axes.set_xticks(ticks, [datetime.fromtimestamp(at, UTC).strftime(shape) for at in ticks])
    axes.set_axisbelow(True)
