"""The interval of a share."""

from __future__ import annotations

import math

Z = 1.959964
"""95 % of the normal distribution lie within so many standard deviations."""


def wilson(hits: float, total: float) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share (Wilson 1927, JASA 22).

    Args:
        hits: How many of them; not whole where a unit counts by its share of hits.
        total: Units; not whole where weighted ones count for as many as would tell as much.

    Raises:
        ValueError: ``total`` is not positive, or ``hits`` is outside 0..total.
    """
    if not 0 <= hits <= total or total == 0:
        raise ValueError(f"a share needs 0 <= hits <= total and total > 0, got {hits} of {total}")
    share, square = hits / total, Z * Z / total
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))
