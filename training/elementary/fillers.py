"""Slots that belong together: a value and its false twin, bigger and smaller, an interval, the parts of a sum."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.elementary.values import MONTHS, QUANTITIES, duration, words

Slots = dict[str, str]


def fill(spec: str, rng: random.Random) -> Slots:
    """Slots for a frame's ``fill=kind:quantity``."""
    kind, _, quantity = spec.partition(":")
    return _KINDS[kind](rng, quantity)


def _values(rng: random.Random, quantity: str) -> Slots:
    """``a`` and ``a2`` say one value in two forms, ``b`` and ``b2`` a near one."""
    kind = QUANTITIES[quantity]
    first, second = kind.two(rng)
    a, b = kind.form(rng, first), kind.form(rng, second)
    return {"a": a, "a2": kind.form(rng, first, a), "b": b, "b2": kind.form(rng, second, b)}


def _ordered(rng: random.Random, quantity: str) -> Slots:
    """``small`` < ``mid`` < ``big``, each with a second form."""
    kind = QUANTITIES[quantity]
    found: Slots = {}
    for name, value in zip(("small", "mid", "big"), kind.ordered(rng, 3), strict=True):
        found[name] = kind.form(rng, value)
        found[name + "2"] = kind.form(rng, value, found[name])
    return found


def _interval(rng: random.Random, quantity: str) -> Slots:
    """``low`` < ``lo`` < ``inn`` < ``hi`` < ``high``; ``out`` is one of the two outside, ``edge`` one of the bounds."""
    kind = QUANTITIES[quantity]
    low, lo, inn, hi, high = (kind.form(rng, v) for v in kind.ordered(rng, 5))
    found = {"low": low, "lo": lo, "inn": inn, "hi": hi, "high": high}
    return found | {"out": rng.choice((low, high)), "edge": rng.choice((lo, hi))}


def _euros(value: float) -> str:
    return f"€{value:,.2f}" if value % 1 else f"€{value:,.0f}"


def _sums(rng: random.Random, style: str) -> Slots:
    """``x``, ``y``, sum ``s``, difference ``d`` (x > y), ``n`` times ``x`` = ``nx``; those in w are wrong."""
    y = rng.randint(3, 60)
    x = y + rng.randint(2, 60)
    scale = rng.choice((1, 1, 1, 10, 0.5)) if style == "money" else 1
    n = rng.randint(2, 9)
    show: Callable[[float], str] = _euros if style == "money" else lambda v: str(int(v))
    right = {"s": x + y, "d": x - y, "nx": n * x, "half": x / 2, "twice": 2 * x}
    found = {"x": show(x * scale), "y": show(y * scale), "n": words(n), "nn": str(n)}
    for name, value in right.items():
        found[name] = show(value * scale)
        wrong = [value + 1, value - 1, value + 10, abs(value - 10) + 1, x, y, x + y]
        wrong += [(n + 1) * x, (n - 1) * x] * (name == "nx")
        found[name + "w"] = show(rng.choice([w for w in wrong if w != value and w > 0]) * scale)
    return found


def _span(rng: random.Random, _: str) -> Slots:
    """From ``t1`` to ``t2`` takes ``len``; ``lenw`` does not fit."""
    clock = QUANTITIES["clock"]
    start = 60 * rng.randint(7, 17) + rng.choice((0, 0, 30, 15))
    length = rng.choice((30, 45, 60, 75, 90, 105, 120, 135, 150, 180, 210, 240, 300))
    wrong = length + rng.choice((-15, 15, 30, 60, 120))
    return {
        "t1": clock.form(rng, start), "t2": clock.form(rng, start + length),
        "len": rng.choice(duration(length)), "lenw": rng.choice(duration(wrong)),
    }  # fmt: skip


def _years(rng: random.Random, _: str) -> Slots:
    """``y1`` + ``age`` = ``y2``."""
    first, age = rng.randint(1880, 1990), rng.randint(4, 80)
    wrong = age + rng.choice((-10, -1, 1, 2, 10))
    wrong = wrong if wrong > 1 else age + 3
    return {"y1": str(first), "y2": str(first + age), "age": str(age), "agew": str(wrong),
            "agewords": words(age), "agewwords": words(wrong)}  # fmt: skip


def _days(rng: random.Random, _: str) -> Slots:
    """``d1`` to ``d2`` of one month: ``n`` nights."""
    start, nights = rng.randint(1, 14), rng.randint(2, 12)
    month = rng.choice(MONTHS)
    wrong = nights + rng.choice((-1, 1, 2, 3))
    return {"d1": f"{start} {month}", "d2": f"{start + nights} {month}", "n": rng.choice((str(nights), words(nights))),
            "w": rng.choice((str(wrong), words(wrong)))}  # fmt: skip


def _portion(rng: random.Random, _: str) -> Slots:
    """``pct`` of ``total`` is ``part``, which leaves ``rest``."""
    total, pct = 20 * rng.randint(3, 60), 5 * rng.randint(1, 19)
    part = total * pct // 100
    if part * 2 == total:
        return _portion(rng, "")
    wrong = {}
    for name, right in (("partw", part), ("restw", total - part)):
        near = (right + 10, abs(right - 5) + 2, pct, total - right)
        wrong[name] = str(rng.choice([w for w in near if w != right]))
    return {"pct": f"{pct}%", "total": str(total), "part": str(part), "rest": str(total - part), **wrong}


def _shared(rng: random.Random, _: str) -> Slots:
    """``total`` shared out evenly among ``n`` is ``each``."""
    n, each = rng.randint(2, 12), rng.randint(3, 40)
    wrong = rng.choice([w for w in (each + 1, each - 1, each * 2, n) if w not in {each, 0}])
    return {"n": words(n), "total": str(n * each), "each": str(each), "eachw": str(wrong)}


def _travel(rng: random.Random, _: str) -> Slots:
    """``h`` hours at ``v`` km/h make ``km``."""
    hours, speed = rng.randint(2, 6), 10 * rng.randint(4, 12)
    wrong = hours * speed + rng.choice((-speed, speed, 10, -20))
    return {"h": words(hours), "v": str(speed), "km": str(hours * speed), "kmw": str(wrong)}


_KINDS: dict[str, Callable[[random.Random, str], Slots]] = {
    "val": _values, "ord": _ordered, "range": _interval, "sum": _sums, "span": _span, "years": _years, "days": _days,
    "portion": _portion, "shared": _shared, "travel": _travel,
}  # fmt: skip
