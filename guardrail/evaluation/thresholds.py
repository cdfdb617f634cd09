"""What each threshold does to labelled answers: errors found, false alarms, answers held back, with intervals. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from guardrail.evaluation.conformal import Outcome, outcome
from guardrail.evaluation.intervals import wilson
from guardrail.evaluation.judged import Judged
from guardrail.types import Verdict

GRID = tuple(step / 100 for step in range(101))
"""Thresholds of a slider."""

NO_TYPE = "no type"
"""Wrong answers whose kind of error nobody named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """How many of ``n`` answers are not delivered as supported, at each threshold.

    ``low`` and ``high`` are Wilson's 95 % interval of the share, over the ``cases`` that the answers make, since
    answers that share a question or a passage are alike; 0 and 1 where there are none.
    """

    n: int
    cases: int
    held: tuple[int, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Some answers at each threshold: ``found`` of the wrong ones, ``alarms`` of the right ones, ``held`` of all.

    ``kind`` is ``all``, ``type`` (wrong answers of one error type: only ``found`` says something) or ``language``.
    """

    kind: str
    name: str
    found: HeldBack
    alarms: HeldBack
    held: HeldBack


def slices(judged: Sequence[Judged], case_of: Sequence[int], thresholds: Sequence[float] = GRID) -> list[Slice]:
    """All answers, those of each error type (the most frequent first), and those of each language, if several.

    Args:
        judged: Labelled answers, judged under calibrate.rules. Those labelled as declining are left out.
        case_of: The case of each.
        thresholds: Ascending, 0..1.
    """
    rows = [
        (one, found)
        for one, case in zip(judged, case_of, strict=True)
        if (found := outcome(one.answer, one.report, case)) is not None
    ]
    made = [_slice("all", "", [found for _, found in rows], thresholds)]
    for kind, name_of in (("type", _type), ("language", _language)):
        names = [name for one, _ in rows if (name := name_of(one)) is not None]
        known = sorted(dict.fromkeys(names), key=lambda name: (-names.count(name), name))
        if kind == "type" or len(known) > 1:
            made += [
                _slice(kind, name, [found for one, found in rows if name_of(one) == name], thresholds) for name in known
            ]
    return made


def _type(one: Judged) -> str | None:
    if one.answer.label not in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED):
        return None
    return one.answer.error_name or NO_TYPE


def _language(one: Judged) -> str:
    return one.answer.lang


def _slice(kind: str, name: str, outcomes: Sequence[Outcome], thresholds: Sequence[float]) -> Slice:
    return Slice(
        kind=kind,
        name=name,
        found=held_back((one for one in outcomes if one.wrong), thresholds),
        alarms=held_back((one for one in outcomes if not one.wrong), thresholds),
        held=held_back(outcomes, thresholds),
    )


def held_back(outcomes: Iterable[Outcome], thresholds: Sequence[float]) -> HeldBack:
    """Counts and intervals of what is not delivered as supported at each threshold."""
    given = list(outcomes)
    n, cases = len(given), len({one.case for one in given})
    limits = np.sort(np.array([one.limit for one in given], dtype=float))
    held = np.searchsorted(limits, np.asarray(thresholds, dtype=float), side="left").tolist()
    ends = {count: wilson(count / n * cases, cases) if n else (0.0, 1.0) for count in set(held)}
    return HeldBack(
        n=n,
        cases=cases,
        held=tuple(held),
        low=tuple(round(ends[count][0], 4) for count in held),
        high=tuple(round(ends[count][1], 4) for count in held),
    )
