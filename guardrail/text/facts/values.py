"""Values of a text, and when two of them are the same, whatever their unit or form."""

from __future__ import annotations

import math
import re

from guardrail.text.facts.fact import Amount, Fact, Facts, Moment

_ROUNDING = 0.01
"""Of a conversion between systems (miles and kilometres), relative; between decimal prefixes nothing is rounded."""

_DECIMAL = re.compile(r"\d+\.\d+")
"""Without a unit it may be a version or a section: 2.1 is not 2.10."""

_SIGN_FOR_TWO = "CNY"
"""The yen or the yuan: equal numbers need not be equal values."""


def is_equal(one: Fact, other: Fact) -> bool:
    """Whether two values are the same, whatever their unit or form."""
    if isinstance(one.value, Amount) and isinstance(other.value, Amount):
        bare = not one.value.unit and all(_DECIMAL.fullmatch(fact.surface) for fact in (one, other))
        return not bare and _equal_amounts(one.value, other.value)
    if isinstance(one.value, Moment) and isinstance(other.value, Moment):
        return _equal_moments(one.value, other.value)
    return False


def values_of(facts: Facts) -> list[Fact]:
    """Amounts and moments of a text, longer ones first where one holds another ("1 hour 30 minutes")."""
    found: dict[tuple[int, int], Fact] = {}
    for fact in (*facts.facts, *facts.counted):
        if isinstance(fact.value, Moment) or (isinstance(fact.value, Amount) and _is_value(fact.value)):
            found.setdefault((fact.span.start, fact.span.end), fact)
    longest = sorted(found.values(), key=lambda f: f.span.start - f.span.end)
    kept: list[Fact] = []
    for fact in longest:
        if all(fact.span.end <= k.span.start or k.span.end <= fact.span.start for k in kept):
            kept.append(fact)
    return kept


def _days(interval: tuple[int, int]) -> set[int]:
    first, last = interval
    return {day % 7 for day in range(first, first + (last - first) % 7 + 1)}


def _is_value(amount: Amount) -> bool:
    return not (amount.label or amount.ordinal) and amount.unit != _SIGN_FOR_TWO


def _equal_amounts(one: Amount, other: Amount) -> bool:
    if one.unit != other.unit:
        return False
    if math.isclose(one.base, other.base, rel_tol=1e-9, abs_tol=1e-12):
        return True
    if one.unit in {"", "%", "s"} or not (one.raw and other.raw and one.base and other.base):
        return False
    factors = (one.base / one.raw) / (other.base / other.raw)
    decimal = math.isclose(math.log10(abs(factors)), round(math.log10(abs(factors))), abs_tol=1e-6)
    return not decimal and math.isclose(one.base, other.base, rel_tol=_ROUNDING)


def _equal_moments(one: Moment, other: Moment) -> bool:
    if one.minute is None or other.minute is None:
        return one._replace(swap=False, sure=False) == other._replace(swap=False, sure=False)
    if one._replace(minute=0, sure=False) != other._replace(minute=0, sure=False):
        return False
    same_half = one.sure and other.sure
    return one.minute == other.minute if same_half else one.minute % 720 == other.minute % 720
