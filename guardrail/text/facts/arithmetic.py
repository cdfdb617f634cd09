"""Whether a number of the claim follows from numbers of the evidence: equal, rounded, hedged or computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from guardrail.text.facts.fact import Amount, Bound, Moment

_DAY, _YEAR = 86_400.0, 31_557_600.0
_ROOMY = 3.0  # how far "more than" may lie from the number that it rests on


def near(one: float, two: float, tolerance: float) -> bool:
    """Equal up to a relative tolerance."""
    return abs(one - two) <= tolerance * max(abs(one), abs(two)) + 1e-9


def _slack(claim: Amount, value: float, raw: float) -> float:
    """Rounding that comes with converting units; calendar units are uneven by nature."""
    same_unit = near(claim.base * raw, value * claim.raw, 1e-6)  # as written, so nothing was converted
    if same_unit or near(claim.raw, raw, 1e-9):
        return 1e-6
    return 0.035 if claim.unit in {"s", "m", "kg", "l", "m/s", "°C", "m²"} else 0.006


def holds(claim: Amount, value: float, raw: float) -> bool:
    """Whether the claim's number, read with its hedge, is true of a value in the same unit."""
    if near(claim.base, value, _slack(claim, value, raw)):
        return True
    if claim.bound is Bound.ABOUT:
        return near(claim.base, value, 0.2)
    if claim.bound is Bound.OVER:
        return claim.base <= value <= claim.base * _ROOMY
    if claim.bound is Bound.UNDER:
        return claim.base / _ROOMY <= value <= claim.base
    # "4,200" for 4,187: only as many digits as a reader would round to
    return claim.raw >= 1000 and claim.raw % 100 == 0 and near(claim.base, value, 0.01)


def same(claim: Amount, other: Amount) -> bool:
    """Whether a number of the evidence bears out the claim's, leniently on units that the text left out."""
    if claim.unit == other.unit:
        return holds(claim, other.base, other.raw)
    if not claim.unit or not other.unit or {claim.unit, other.unit} in ({"kg", "GBP"}, {"m", "m/s"}, {"%", "x"}):
        if near(claim.raw, other.raw, 1e-9):
            return True
        if "%" in {claim.unit, other.unit} and near(claim.base, other.base, 1e-6):
            return True
        return (
            not claim.label and claim.bound is not Bound.EXACT and not claim.unit and holds(claim, other.raw, other.raw)
        )
    return False


def gaps(moments: Sequence[Moment]) -> list[float]:
    """Durations in seconds between the dates and times of the evidence."""
    found: list[float] = []
    for one, two in combinations(moments, 2):
        if one.years and two.years:
            years = abs(one.years[0] - two.years[0])
            months = abs((one.years[0] - two.years[0]) * 12 + (one.month or 0) - (two.month or 0))
            if one.month and two.month:
                days = abs(months * 30.44 + (one.day or 1) - (two.day or 1)) if one.day and two.day else 0.0
                found += [months * _YEAR / 12, days * _DAY]
                if one.month != two.month:
                    found += [months // 12 * _YEAR, -(-months // 12) * _YEAR]
            found += [years * _YEAR, (years + 1) * _YEAR]
        elif one.month and two.month:
            months = abs(one.month - two.month)
            found.append(months * _YEAR / 12)
            if one.day and two.day:
                days = (
                    abs(months * 30.44 + (one.day - two.day) * (1 if one.month > two.month else -1))
                    if months
                    else abs(one.day - two.day)
                )
                found += [days * _DAY, round(days) * _DAY, (days + 1) * _DAY]
        elif one.day and two.day:
            found.append(abs(one.day - two.day) * _DAY)
        if one.weekday is not None and two.weekday is not None:
            days = abs(one.weekday - two.weekday)
            found += [days * _DAY, (7 - days) * _DAY]
        if one.minute is not None and two.minute is not None:
            apart = abs(one.minute - two.minute)
            found += [apart * 60.0, abs(720 - apart) * 60.0, (1440 - apart) * 60.0]
    return found


def computed(claim: Amount, amounts: Iterable[Amount], moments: Sequence[Moment]) -> bool:
    """Whether sum, difference, product, ratio, complement or the gap between two dates gives the number.

    A product or ratio may mix units ("18 euros a month" for a year); sums and differences may not.
    """
    if claim.label:
        return False
    pool = list({(a.unit, round(a.base, 9)): a for a in amounts if not a.label}.values())[:24]
    shares = [a for a in pool if a.unit == "%" and 0 < a.base < 1]
    rest = [a._replace(base=1 - a.base, raw=100 - a.raw) for a in shares]
    if claim.unit == "%" and len(shares) > 1:
        rest.append(shares[0]._replace(base=1 - sum(a.base for a in shares)))
    years = sorted({float(m.years[0]) for m in moments if m.years and m.years[0] == m.years[1]})
    spans = gaps(moments[:12]) if claim.unit in {"s", ""} else []
    if claim.unit == "" and any(near(claim.raw, abs(a - b), 1e-9) for a in years for b in years):
        return True
    if any(_fits(claim, gap) for gap in spans):
        return True
    like = [a for a in pool if a.unit == claim.unit or not a.unit]
    for one, two in combinations(like, 2):
        # A number without unit takes the unit of the other ("5 and 7 km").
        first, second = _aligned(claim, one), _aligned(claim, two)
        if _fits(claim, first + second) or _fits(claim, abs(first - second)):
            return True
        if claim.unit == "°C" and _fits(claim, abs(one.base - two.base)):
            return True
    if claim.unit == "%" and any(_fits(claim, a.base) for a in rest):
        return True
    pool += rest
    ratio = claim.unit in {"", "%", "x"}
    for one, two in combinations(pool, 2):
        if one.unit in {"", "x", "%"} or two.unit in {"", "x", "%"}:
            unit = max((one.unit, two.unit), key=lambda u: (u not in {"", "x", "%"}, u != "%"))
            plain = unit in {"", "x"} or unit == claim.unit
            if plain and one.base * two.base and _fits(claim, one.base * two.base):
                return True
            if plain and two.base and unit == one.unit and _fits(claim, one.base / two.base):
                return True
            if plain and one.base and unit == two.unit and _fits(claim, two.base / one.base):
                return True
        if ratio and one.unit == two.unit and one.base > 0 and two.base > 0:
            low, high = sorted((one.base, two.base))
            ratios = (high / low, low / high, (high - low) / high, (high - low) / low)
            if any(_fits(claim, share, 0.03 if claim.unit == "%" else 0.01) for share in ratios):
                return True
    if claim.raw < 10 and claim.unit != "%":
        return False  # three small numbers give nearly any fourth
    few = [_aligned(claim, a) for a in like[:8]]
    triples = ((a + b + c, a + b - c, a - b + c, b + c - a) for a, b, c in combinations(few, 3))
    return any(_fits(claim, abs(value)) for values in triples for value in values)


def _aligned(claim: Amount, amount: Amount) -> float:
    if claim.unit == "%":
        return amount.base if amount.unit else amount.base / 100
    if amount.unit or not claim.unit or not claim.raw:
        return amount.base
    return amount.raw * claim.base / claim.raw


def _fits(claim: Amount, value: float, tolerance: float = 1e-6) -> bool:
    if claim.bound is Bound.EXACT:
        slack = 0.035 if claim.unit == "s" and claim.base > 20 * _DAY else tolerance
        return near(claim.base, value, slack)
    return holds(claim, value, value)


def shifted_year(year: int, amounts: Iterable[Amount], moments: Iterable[Moment], *, next_to: bool) -> bool:
    """Whether a year lies a stated number of years from another; ``next_to``: the text says "the next year"."""
    spans = {round(a.base / _YEAR) for a in amounts if a.unit == "s" and a.base >= 0.9 * _YEAR}
    spans |= {round(a.raw) for a in amounts if not a.unit and a.raw < 120}
    if next_to:
        spans.add(1)
    known = {m.years[0] for m in moments if m.years}
    return any(abs(year - k) in spans for k in known)


def shifted_minute(minute: int, amounts: Iterable[Amount], moments: Iterable[Moment]) -> bool:
    """Whether a time of day lies a stated duration from another."""
    spans = {round(a.base / 60) for a in amounts if a.unit == "s" and a.base < _DAY}
    known = [m.minute for m in moments if m.minute is not None]
    return any(abs(minute - k) % 720 in spans for k in known)
