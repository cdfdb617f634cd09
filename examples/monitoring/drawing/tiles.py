"""Panels that are read at a glance: numbers, bars, tables and text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl

from drawing.dashboard import Panel, Series, substitute
from drawing.numbers import show
from drawing.sheet import COLORS, DIM, EDGE, INK, PAGE, Box, Sheet, series_color, step_color
from drawing.tables import columns, rows


def stat(sheet: Sheet, panel: Panel, series: Series, inside: Box) -> None:
    """The last value, above its line where it has one."""
    x, y, w, h = inside
    look, points = panel.look, series.points
    value = points[-1][1]
    color = step_color(look["thresholds"]["steps"], value)
    if len(points) > 1:
        axes = sheet.axes((x - 9, y + h * 0.55, w + 18, h * 0.45 + 7))
        axes.set_axis_off()
        axes.set(xlim=(points[0][0], points[-1][0]), ylim=(0, max(v for _, v in points) * 1.1 or 1))
        axes.fill_between(*zip(*points, strict=True), color=color, alpha=0.25, lw=0)
        axes.plot(*zip(*points, strict=True), color=color, lw=1)
    at = y + h * (0.3 if len(points) > 1 else 0.48)
    sheet.write(x + w / 2, at, show(value, look["unit"], look.get("decimals")), 24, color, ha="center", weight="bold")


def bargauge(sheet: Sheet, panel: Panel, series: Sequence[Series], inside: Box) -> None:
    """A bar per series, the longest first."""
    x, y, w, h = inside
    series = sorted(series, key=lambda s: -s.points[-1][1])
    most = series[0].points[-1][1]
    above = panel.raw["options"]["namePlacement"] == "top"
    slot = min(h / len(series), 56 if above else 40)
    start = x if above else x + w * 0.42
    length, thick = x + w - 50 - start, slot * (0.4 if above else 0.72)
    for i, one in enumerate(series):
        value = one.points[-1][1]
        middle = y + slot * (i + (0.68 if above else 0.5))
        by_value = panel.look["color"]["mode"].startswith("continuous")
        color = mpl.colormaps["YlOrRd"](0.25 + 0.6 * value / most) if by_value else series_color(panel, one.name, i)
        if above:
            sheet.write(x, middle - slot * 0.42, one.name, 8.5, DIM)
        else:
            sheet.write(start - 8, middle, one.name, 8.5, DIM, ha="right")
        sheet.bar((start, middle - thick / 2, length, thick), EDGE)
        sheet.bar((start, middle - thick / 2, length * value / most, thick), color)
        sheet.write(x + w, middle, show(value, "short", 0), 9, ha="right")


def table(sheet: Sheet, panel: Panel, answers: Sequence[Sequence[Series]], inside: Box) -> None:
    """Rows, as many as fit; a column is as wide as its texts ask for."""
    x, y, w, h = inside
    found = rows(panel.raw, answers)
    names = columns(panel.raw, found)
    found = found[: int((h - 18) / 20)]
    looks = {name: _look(panel, name) for name in names}
    cells = [[_cell(row.get(name, ""), looks[name]) for name in names] for row in found]
    longest = [max(len(text) for text in column) + 3 for column in zip(names, *cells, strict=True)]
    left = x
    for c, (name, length) in enumerate(zip(names, longest, strict=True)):
        width = w * length / sum(longest)
        sheet.write(left, y + 4, name, 8.5, COLORS["blue"])
        for r, (row, texts) in enumerate(zip(found, cells, strict=True)):
            fitting = textwrap.shorten(texts[c], max(4, int(width / 6.4)), placeholder="..")
            sheet.write(left, y + 26 + 20 * r, fitting, 9, _cell_color(row.get(name, ""), looks[name]))
        left += width
    for r in range(len(found)):
        sheet.page.plot((x, x + w), (y + 16 + 20 * r, y + 16 + 20 * r), color=EDGE, lw=0.6)


def _look(panel: Panel, column: str) -> dict[str, Any]:
    overrides = panel.raw["fieldConfig"]["overrides"]
    return {p["id"]: p["value"] for o in overrides if o["matcher"]["options"] == column for p in o["properties"]}


def _cell(value: float | str, look: Mapping[str, Any]) -> str:
    return value if isinstance(value, str) else show(value, look.get("unit", "short"), look.get("decimals"))


def _cell_color(value: float | str, look: Mapping[str, Any]) -> str:
    if isinstance(value, float):
        return step_color(look["thresholds"]["steps"], value) if "thresholds" in look else INK
    mapped = {text: to["color"] for mapping in look.get("mappings", ()) for text, to in mapping["options"].items()}
    return COLORS[mapped[value]] if value in mapped else INK


def text(sheet: Sheet, panel: Panel, values: Mapping[str, tuple[str, ...]], inside: Box) -> None:
    """Markdown's paragraphs and code blocks; other marks are left out."""
    x, y, w, _ = inside
    code, at = False, y + 6
    for line in substitute(panel.raw["options"]["content"], values).splitlines():
        if line == "```":
            code = not code
        elif code:
            sheet.bar((x, at - 10, w, 22), PAGE)
            sheet.write(x + 8, at + 1, line, 9, family="monospace")
            at += 24
        else:
            for piece in textwrap.wrap(re.sub(r"\*\*|`", "", line), int(w / 6.9)) or [""]:
                sheet.write(x, at, piece, 9.5)
                at += 18 if piece else 6
