"""The picture that panels are drawn on, and its colours: Grafana's dark ones."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from PIL import Image

from drawing.dashboard import Panel

WIDTH = 1800
PAGE, CARD, EDGE, INK, DIM = "#111217", "#181b1f", "#2c3036", "#d8d9da", "#8e9099"
COLORS = {
    "green": "#73bf69", "orange": "#ff9830", "red": "#f2495c", "blue": "#5794f2", "purple": "#b877d9",
    "yellow": "#fade2a", "text": "#9fa7b3", "semi-dark-orange": "#ff780a", "transparent": CARD,
}  # fmt: skip
PALETTE = ("#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#5794f2", "#b877d9", "#705da0", "#37872d", "#fade2a")

Box = tuple[float, float, float, float]
"""x, y, width, height in pixels from the upper left corner."""


class Sheet:
    """A picture, WIDTH pixels wide; heights in pixels."""

    def __init__(self, height: float) -> None:
        self.height = height
        self.figure = Figure(figsize=(WIDTH / 100, height / 100), dpi=100, facecolor=PAGE)
        FigureCanvasAgg(self.figure)
        self.page = self.axes((0, 0, WIDTH, height))
        self.page.set(xlim=(0, WIDTH), ylim=(height, 0))
        self.page.set_axis_off()

    def axes(self, box: Box) -> Axes:
        """Axes in a box."""
        x, y, w, h = box
        axes = self.figure.add_axes((x / WIDTH, 1 - (y + h) / self.height, w / WIDTH, h / self.height))
        axes.set_facecolor("none")
        return axes

    def write(self, x: float, y: float, text: str, size: float = 9, color: str = INK, **more: Any) -> None:
        """Text with its middle at the height y; ``$`` is no mathematics."""
        self.page.text(x, y, text.replace("$", r"\$"), fontsize=size, color=color, va="center", **more)

    def card(self, box: Box) -> None:
        """The background of a panel."""
        shape = "round,pad=0,rounding_size=3"
        self.page.add_patch(FancyBboxPatch(box[:2], *box[2:], boxstyle=shape, fc=CARD, ec=EDGE, lw=0.8))

    def bar(self, box: Box, color: Any) -> None:
        """A filled box."""
        self.page.add_patch(Rectangle(box[:2], *box[2:], fc=color, lw=0))

    def save(self, path: Path) -> None:
        """Write a PNG of 256 colours, ours and the most frequent ones between them: a third of the size."""
        whole = io.BytesIO()
        self.figure.savefig(whole, facecolor=PAGE)
        picture = Image.open(whole).convert("RGB")
        ours = dict.fromkeys([PAGE, CARD, EDGE, INK, DIM, *COLORS.values(), *PALETTE])
        flat = [part for color in ours for part in bytes.fromhex(color.removeprefix("#"))]
        between = picture.quantize(256 - len(ours), dither=Image.Dither.NONE).getpalette() or []
        palette = Image.new("P", (1, 1))
        palette.putpalette((flat + between)[:768])
        picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


def series_color(panel: Panel, name: str, i: int) -> str:
    """The colour of the i-th series: of an override for its name, else the next of the palette."""
    for override in panel.raw["fieldConfig"]["overrides"]:
        matcher = override["matcher"]
        pattern = matcher["options"] if matcher["id"] == "byRegexp" else re.escape(matcher["options"])
        for change in override["properties"]:
            if change["id"] == "color" and "fixedColor" in change["value"] and re.fullmatch(pattern, name):
                return COLORS[change["value"]["fixedColor"]]
    return PALETTE[i % len(PALETTE)]


def step_color(steps: Sequence[dict[str, Any]], value: float) -> str:
    """The colour of the last threshold that the value has reached."""
    passed = [step["color"] for step in steps if step["value"] is None or value >= step["value"]]
    return COLORS[passed[-1]] if passed else INK


mpl.rcParams["font.family"] = ["DejaVu Sans"]  # comes with matplotlib: the same picture everywhere
