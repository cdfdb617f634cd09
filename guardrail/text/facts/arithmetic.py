"""Whether a number of the claim follows from numbers of the evidence: equal, rounded, hedged or computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from guardrail.text.facts.fact import Amount, Bound, Moment
from guardrail.text.facts.units import DAY, YEAR

_ROOMY = 3.0  # how far "more than" may lie from the number that it rests on
_PURE = frozenset({"", "x", "%"})  # units that a factor may have


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
    if claim.raw < 1000 or claim.raw % 100:
        return False
    digits = f"{claim.raw:.0f}"  # "4,200" for 4,187, not for 4,300: only as exact as a reader would round it
    half_a_unit = 0.5 * 10.0 ** (len(digits) - len(digits.rstrip("0")))
    return near(claim.base, value, min(0.01, half_a_unit / claim.raw))


def same(claim: Amount, other: Amount) -> bool:
    """Whether a number of the evidence supports the claim's, leniently on units that the text left out."""
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


def _years_apart(one: Moment, two: Moment) -> Iterator[float]:
    """Durations between two dates with years, also rounded to whole years."""
    if one.years is None or two.years is None:
        return
    years = abs(one.years[0] - two.years[0])
    if one.month and two.month:
        months = abs((one.years[0] - two.years[0]) * 12 + one.month - two.month)
        days = abs(months * 30.44 + (one.day or 1) - (two.day or 1)) if one.day and two.day else 0.0
        yield from (months * YEAR / 12, days * DAY)
        if one.month != two.month:
            yield from (months // 12 * YEAR, -(-months // 12) * YEAR)
    yield from (years * YEAR, (years + 1) * YEAR)


def _days_apart(one: Moment, two: Moment) -> Iterator[float]:
    """Durations between two days of one year, or of one month."""
    if one.month and two.month:
        months = abs(one.month - two.month)
        yield months * YEAR / 12
        if one.day and two.day:
            turn = 1 if one.month > two.month else -1
            days = abs(months * 30.44 + (one.day - two.day) * turn)
            yield from (days * DAY, round(days) * DAY, (days + 1) * DAY)
    elif one.day and two.day:
        yield abs(one.day - two.day) * DAY


def _apart(one: Moment, two: Moment) -> Iterator[float]:
    """Durations in seconds between two dates or times of the evidence, as a reader might count them."""
    yield from _years_apart(one, two) if one.years and two.years else _days_apart(one, two)
    if one.weekdays and two.weekdays:
        days = abs(one.weekdays[0] - two.weekdays[0])
        yield from (days * DAY, (7 - days) * DAY)
    if one.minute is not None and two.minute is not None:
        minutes = abs(one.minute - two.minute)
        yield from (minutes * 60.0, abs(720 - minutes) * 60.0, (1440 - minutes) * 60.0)


def computed(claim: Amount, amounts: Iterable[Amount], moments: Sequence[Moment]) -> bool:
    """Whether sum, difference, product, ratio, complement or the gap between two dates gives the number.

    A product or ratio may mix units ("18 euros a month" for a year); sums and differences may not.
    """
    if claim.label:
        return False
    pool = list({(a.unit, round(a.base, 9)): a for a in amounts if not a.label}.values())[:24]
    like = [a for a in pool if a.unit == claim.unit or not a.unit]
    rest = _complements(claim, pool)
    return (
        _is_gap(claim, moments)
        or (claim.unit == "%" and any(_fits(claim, a.base) for a in rest))
        or any(_is_sum(claim, one, two) for one, two in combinations(like, 2))
        or any(
            _is_product(claim, one, two) or _is_ratio(claim, one, two)
            for one, two in combinations(pool + rest, 2)
            if not (one.unit == two.unit == "%" and near(one.base + two.base, 1.0, 1e-9))  # a share and its own rest
        )
        or _is_sum_of_three(claim, like[:8])
    )


def _complements(claim: Amount, pool: Sequence[Amount]) -> list[Amount]:
    """What shares leave of the whole, each alone and all together."""
    shares = [a for a in pool if a.unit == "%" and 0 < a.base < 1]
    rest = [a._replace(base=1 - a.base, raw=100 - a.raw) for a in shares]
    if claim.unit == "%" and len(shares) > 1:
        rest.append(shares[0]._replace(base=1 - sum(a.base for a in shares)))
    return rest


def _is_gap(claim: Amount, moments: Sequence[Moment]) -> bool:
    if claim.unit not in {"s", ""}:
        return False
    years = sorted({float(m.years[0]) for m in moments if m.years and m.years[0] == m.years[1]})
    if not claim.unit and any(near(claim.raw, abs(a - b), 1e-9) for a in years for b in years):
        return True
    return any(_fits(claim, gap) for one, two in combinations(moments[:12], 2) for gap in _apart(one, two))


def _is_sum(claim: Amount, one: Amount, two: Amount) -> bool:
    # A number without unit takes the unit of the other ("5 and 7 km").
    first, second = _aligned(claim, one), _aligned(claim, two)
    if _fits(claim, first + second) or _fits(claim, abs(first - second)):
        return True
    return claim.unit == "°C" and _fits(claim, abs(one.base - two.base))


def _is_product(claim: Amount, one: Amount, two: Amount) -> bool:
    """A product, or a quotient that keeps the unit; one of the two has none."""
    if one.unit not in _PURE and two.unit not in _PURE:
        return False
    unit = max((one.unit, two.unit), key=lambda u: (u not in _PURE, u != "%"))
    if unit not in {"", "x", claim.unit}:
        return False
    values = [one.base * two.base] if one.base * two.base else []
    if two.base and unit == one.unit:
        values.append(one.base / two.base)
    if one.base and unit == two.unit:
        values.append(two.base / one.base)
    return any(_fits(claim, value) for value in values)


def _is_ratio(claim: Amount, one: Amount, two: Amount) -> bool:
    if claim.unit not in _PURE or one.unit != two.unit or one.base <= 0 or two.base <= 0:
        return False
    low, high = sorted((one.base, two.base))
    ratios = (high / low, low / high, (high - low) / high, (high - low) / low)
    return any(_fits(claim, ratio, 0.03 if claim.unit == "%" else 0.01) for ratio in ratios)


def _is_sum_of_three(claim: Amount, like: Sequence[Amount]) -> bool:
    if claim.raw < 10 and claim.unit != "%":
        return False  # three small numbers give nearly any fourth
    triples = combinations([_aligned(claim, a) for a in like], 3)
    return any(_fits(claim, abs(v)) for a, b, c in triples for v in (a + b + c, a + b - c, a - b + c, b + c - a))


def _aligned(claim: Amount, amount: Amount) -> float:
    if claim.unit == "%":
        return amount.base if amount.unit else amount.base / 100
    if amount.unit or not claim.unit or not claim.raw:
        return amount.base
    return amount.raw * claim.base / claim.raw


def _fits(claim: Amount, value: float, tolerance: float = 1e-6) -> bool:
    if claim.bound is Bound.EXACT:
        slack = 0.035 if claim.unit == "s" and claim.base > 20 * DAY else tolerance
        return near(claim.base, value, slack)
    return holds(claim, value, value)


def shifted_year(year: int, amounts: Iterable[Amount], moments: Iterable[Moment], *, next_to: bool) -> bool:
    """Whether a year lies a stated number of years from another; ``next_to``: the text says "the next year"."""
    spans = {round(a.base / YEAR) for a in amounts if a.unit == "s" and a.base >= 0.9 * YEAR}
    spans |= {round(a.raw) for a in amounts if not a.unit and a.raw < 120}
    if next_to:
        spans.add(1)
    known = {m.years[0] for m in moments if m.years}
    return any(abs(year - k) in spans for k in known)


def shifted_minute(minute: int, amounts: Iterable[Amount], moments: Iterable[Moment]) -> bool:
    """Whether a time of day lies a stated duration from another."""
    spans = {round(a.base / 60) for a in amounts if a.unit == "s" and a.base < DAY}
    known = [m.minute for m in moments if m.minute is not None]
    return any(abs(minute - k) % 720 in spans for k in known)
