"""Numbers as Grafana shows them."""

from __future__ import annotations

import math


def show(value: float, unit: str, decimals: int | None = None) -> str:
    """The number with its unit: ``percentunit``, ``s``, ``short`` (K, Mil) or ``suffix: text``."""
    if math.isnan(value) or math.isinf(value):
        return "-" if math.isnan(value) else "inf"
    if unit == "percentunit":
        return f"{value * 100:.{1 if decimals is None else decimals}f}%".replace(".0%", "%")
    if unit == "s":
        return _seconds(value)
    if unit.startswith("suffix:"):
        return f"{_short(value, decimals)}{unit.removeprefix('suffix:')}"
    return _short(value, decimals)


def _seconds(value: float) -> str:
    if value == 0:
        return "0 s"
    if abs(value) < 0.001:
        return f"{value * 1e6:.3g} us"
    if abs(value) < 1:
        return f"{value * 1000:.3g} ms"
    return f"{value:.3g} s"


def _short(value: float, decimals: int | None) -> str:
    for size, suffix in ((1e9, " Bil"), (1e6, " Mil"), (1e3, " K")):
        if abs(value) >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}" if decimals is None else f"{value:.{decimals}f}"
