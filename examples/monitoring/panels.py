"""Draws the dashboard's panels from a Prometheus into one picture, for places without Grafana.

    python examples/monitoring/panels.py --prometheus http://localhost:9090 --out dashboard.png --since 10m

It asks the queries that Grafana asks, and needs matplotlib.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from drawing import charts, tiles
from drawing.dashboard import SHIPPED, Dashboard, Panel, Prometheus, Series, Window, ask, substitute
from drawing.sheet import COLORS, DIM, WIDTH, Sheet

UNIT, GAP, HEAD = 30, 8, 54
"""Pixels: a unit of Grafana's grid, between two panels, the title of the picture."""

Answers = tuple[tuple[Series, ...], ...]


@dataclass(frozen=True)
class View:
    """What is looked at: values of the variables, a time range, annotations."""

    values: dict[str, tuple[str, ...]]
    window: Window
    marks: tuple[charts.Mark, ...]


@dataclass(frozen=True)
class Row:
    """A row of the dashboard: its head, and the panels below it with what their queries gave."""

    head: Panel
    panels: tuple[tuple[Panel, Answers], ...]

    @property
    def empty(self) -> bool:
        """Whether no panel has data."""
        return not any(series for _, answers in self.panels for series in answers)

    @property
    def height(self) -> int:
        """In units of the grid, the head included."""
        return max(p.grid[1] + p.grid[3] for p, _ in self.panels) - self.head.grid[1]


def look(board: Dashboard, prometheus: Prometheus, window: Window, chosen: dict[str, tuple[str, ...]]) -> View:
    """The dashboard over the window; where they are not chosen, "now" and "baseline" are parts of a short window."""
    length = window.end - window.start
    now = max(4 * window.scrape, min(300, length / 4))
    parts = {"window": (f"{now:.0f}s",), "baseline": (f"{min(86400, max(length, now)):.0f}s",)}
    values = board.values(prometheus, {**parts, **chosen})
    marks = []
    for annotation in board.annotations:
        for series in ask(prometheus, annotation["target"], values, window):
            text = re.sub(
                r"\{\{(\w+)\}\}", lambda match, s=series: s.labels.get(match[1], ""), annotation["titleFormat"]
            )
            marks.append((series.points[0][0], text.removeprefix("Guardrail"), COLORS[annotation["iconColor"]]))
    return View(values, window, tuple(marks))


def asked(board: Dashboard, prometheus: Prometheus, view: View) -> Iterator[Row]:
    """The rows with their data."""
    heads = [p for p in board.panels if p.type == "row"]
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        inside = [
            p for p in board.panels if p.grid[1] > head.grid[1] and (following is None or p.grid[1] < following.grid[1])
        ]
        yield Row(
            head, tuple((p, tuple(ask(prometheus, t, view.values, view.window) for t in p.targets)) for p in inside)
        )


def draw(board: Dashboard, rows: Sequence[Row], view: View) -> Sheet:
    """The rows below each other; those without any data are only named, at the end."""
    shown, empty = [r for r in rows if not r.empty], [r.head.title for r in rows if r.empty]
    sheet = Sheet(HEAD + UNIT * sum(r.height for r in shown) + GAP + 30 * bool(empty))
    started, ended = (datetime.fromtimestamp(at, UTC) for at in (view.window.start, view.window.end))
    sheet.write(2 * GAP, HEAD / 2, board.raw["title"], 15, weight="bold")
    sheet.write(WIDTH - 2 * GAP, HEAD / 2, f"{started:%Y-%m-%d %H:%M:%S} to {ended:%H:%M:%S} UTC", 10, DIM, ha="right")
    top = float(HEAD)
    for row in shown:
        sheet.write(GAP, top + 13, f"▾  {row.head.title}", 12, weight="bold")
        for panel, answers in row.panels:
            x, y, w, h = panel.grid
            wide, down = (WIDTH - GAP) / 24, top + UNIT * (y - row.head.grid[1])
            tile(sheet, panel, answers, view, (GAP + x * wide, down, w * wide - GAP, h * UNIT - GAP))
        top += UNIT * row.height
    if empty:
        sheet.write(2 * GAP, top + 14, f"Without data here: {'; '.join(empty)}.", 10, DIM)
    return sheet


def tile(sheet: Sheet, panel: Panel, answers: Answers, view: View, box: tuple[float, float, float, float]) -> None:
    """One panel."""
    x, y, w, h = box
    inside = (x + 10, y + 30, w - 20, h - 38)
    series = [s for found in answers for s in found]
    sheet.card(box)
    sheet.write(x + 10, y + 15, substitute(panel.title, view.values), 9.5)
    match panel.type:
        case "text":
            tiles.text(sheet, panel, view.values, inside)
        case _ if not series:
            sheet.write(x + w / 2, y + h / 2 + 8, "No data", 11, DIM, ha="center")
        case "stat":
            tiles.stat(sheet, panel, series[0], inside)
        case "bargauge":
            tiles.bargauge(sheet, panel, series, inside)
        case "table":
            tiles.table(sheet, panel, answers, inside)
        case "heatmap":
            charts.heatmap(sheet, panel, series, inside, view.window)
        case "timeseries":
            charts.timeseries(sheet, panel, series, inside, view.window, view.marks)
        case other:
            raise ValueError(f"no drawing for panels of type {other!r}")


def main() -> None:
    """Read the command line, ask, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prometheus", required=True, help="URL of the server")
    parser.add_argument("--out", required=True, type=Path, help="the PNG to write")
    parser.add_argument("--since", default="1h", help="how far back: 90s, 10m, 1h, 2d (default: %(default)s)")
    parser.add_argument("--until", type=float, default=None, help="end, in unix seconds (default: now)")
    parser.add_argument("--dashboard", type=Path, default=SHIPPED, help="another dashboard file")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable: by=topic,index")
    given = parser.parse_args()
    since = re.fullmatch(r"(\d+)([smhd])", given.since)
    if since is None:
        parser.error(f"--since must be a number with s, m, h or d, got {given.since!r}")
    end = time.time() if given.until is None else given.until
    length = int(since[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[since[2]]
    prometheus, board = Prometheus(given.prometheus), Dashboard.read(given.dashboard)
    chosen = {name: tuple(value.split(",")) for name, _, value in (pair.partition("=") for pair in given.set)}
    view = look(board, prometheus, Window(end - length, end, prometheus.scrape_interval()), chosen)
    draw(board, list(asked(board, prometheus, view)), view).save(given.out)
    print(f"{given.out}: {given.out.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
