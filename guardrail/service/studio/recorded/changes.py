"""What changed between two releases (indexes, models, ...): rates of each with intervals, whole and slice by slice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from guardrail.service.studio.recorded.chosen import FieldError
from guardrail.service.studio.recorded.figures import Figures, Part, figures
from guardrail.service.studio.recorded.shares import Difference, difference
from guardrail.service.studio.recorded.tally import Alike, parts_of
from guardrail.telemetry.labels import KEYS

KEYS_TO_COMPARE = (*KEYS, "policy", "engine")
"""What two sides may differ in."""

MOST = 200
"""Slices that are shown; those with the most records come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One slice: its figures on both sides, and how its unfaithful share changed; ``key`` None: all answers."""

    key: str | None
    value: str | None
    first: Figures
    second: Figures
    unfaithful: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """All answers, their slices (the clearest change first), and how many slices there were before the cut."""

    whole: Change
    slices: tuple[Change, ...]
    compared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value of a label: how many records bear it, and since and until when (Unix seconds)."""

    value: str
    records: int
    since: float
    until: float


class Compared:
    """Records by their labels: of them values and changes are made.

    Args:
        counted: The records (``tally``); those that do not count in rates are left out.
        key: The label that two sides differ in.

    Raises:
        FieldError: there is no such label.
    """

    def __init__(self, counted: Iterable[Alike], key: str) -> None:
        if key not in KEYS_TO_COMPARE:
            raise FieldError("by", f"by must be one of {', '.join(KEYS_TO_COMPARE)}, got {key!r:.40}.")
        self._key = key
        self._sides: defaultdict[str, list[Alike]] = defaultdict(list)
        for alike in counted:
            if alike.rated:
                self._sides[alike.labels.get(key) or ""].append(alike)

    def values(self) -> tuple[Value, ...]:
        """The values of the label in the order in which they came up, at most MOST: those with the most records."""
        named = [_value(value, parts_of(some)) for value, some in self._sides.items() if value]
        return tuple(sorted(sorted(named, key=lambda v: -v.records)[:MOST], key=lambda v: (v.since, v.value)))

    def changes(self, first: str, second: str) -> Changes:
        """What changed from ``first`` to ``second``, two values of the label.

        Raises:
            FieldError: both values are the same.
        """
        if first == second:
            raise FieldError("second", f"Choose two different values of {self._key}; both are {first!r:.60}.")
        sides = self._sides.get(first, []), self._sides.get(second, [])
        by_slice = [_slices(side, self._key) for side in sides]
        wanted = sorted({*by_slice[0], *by_slice[1]})
        compared = [_change(by_slice[0].get(pair, ()), by_slice[1].get(pair, ()), *pair) for pair in wanted]
        compared.sort(key=lambda c: -(c.first.records + c.second.records))
        whole = _change(parts_of(sides[0]), parts_of(sides[1]))
        return Changes(whole=whole, slices=tuple(sorted(compared[:MOST], key=_clearest)), compared=len(compared))


def _value(value: str, some: list[Part]) -> Value:
    return Value(
        value=value,
        records=sum(part.weighed.records for part in some),
        since=min(part.since for part in some),
        until=max(part.until for part in some),
    )


def _slices(some: Iterable[Alike], without: str) -> dict[tuple[str, str], list[Part]]:
    found: defaultdict[tuple[str, str], list[Part]] = defaultdict(list)
    for one in some:
        for pair in one.labels.items():
            if pair[0] != without and pair[1]:
                found[pair].append(one.part)
    return found


def _change(first: Iterable[Part], second: Iterable[Part], key: str | None = None, value: str | None = None) -> Change:
    before, after = figures(first), figures(second)
    return Change(
        key=key, value=value, first=before, second=after, unfaithful=difference(before.unfaithful, after.unfaithful)
    )


def _clearest(change: Change) -> tuple[bool, bool, float]:
    """What is beyond chance first, then what could be compared, then the larger change."""
    found = change.unfaithful
    return (not found.clear, found.value is None, -abs(found.value or 0.0))
