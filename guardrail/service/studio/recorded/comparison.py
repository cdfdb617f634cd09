"""Several opinions on the same answers, or on the same questions: how often they differ, and on which most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from guardrail.service.studio.recorded.figures import NOT_STOPPED
from guardrail.service.studio.recorded.pairs import Paired, paired
from guardrail.service.studio.recorded.shares import Share, Weighed, share
from guardrail.telemetry.outcome import ABANDONED
from guardrail.telemetry.records.record import FAULTY
from guardrail.types import Verdict

MEASURES = ("unfaithful", "acted")
"""``unfaithful``: the verdict is contradicted or unsupported. ``acted``: the policy changed or withheld the text."""

_SCORED = (*FAULTY, Verdict.SUPPORTED)


@dataclass(frozen=True, slots=True)
class Row:
    """One answer (or question) with an opinion of each side as a record's JSON; None = that side has none."""

    opinions: tuple[Mapping[str, Any] | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side's shares of the answers that all sides judged; ``left_out``: answers that it did not judge."""

    name: str
    unfaithful: Share
    acted: Share
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two sides by their numbers, in one measure."""

    first: int
    second: int
    measure: str
    paired: Paired


@dataclass(slots=True)
class Comparison:
    """The sides and what is known so far; filled by one thread and read by others, so rows are only added.

    Attributes:
        names: Of the sides.
        same: ``answers``, or ``questions`` where each side has an answer of its own.
        rows: One for each answer.
        passed_over: Answers that could not be compared, by reason.
    """

    names: tuple[str, ...]
    same: str = "answers"
    rows: list[Row] = field(default_factory=list)
    passed_over: dict[str, int] = field(default_factory=dict)

    def pass_over(self, why: str) -> None:
        """Count an answer that cannot be compared."""
        self.passed_over[why] = self.passed_over.get(why, 0) + 1

    def sides(self) -> list[Side]:
        """The table: each side's shares. Every answer counts once, however many it stands for in the store."""
        rows = list(self.rows)
        return [
            Side(
                name=name,
                unfaithful=_share([says(row.opinions[place], "unfaithful") for row in rows]),
                acted=_share([says(row.opinions[place], "acted") for row in rows]),
                left_out=sum(says(row.opinions[place], "unfaithful") is None for row in rows),
            )
            for place, name in enumerate(self.names)
        ]

    def pairs(self) -> list[Pair]:
        """Every two sides, in each measure, over the answers that both judged."""
        rows = list(self.rows)
        return [
            Pair(first=first, second=second, measure=measure, paired=_paired(rows, first, second, measure))
            for first, second in combinations(range(len(self.names)), 2)
            for measure in MEASURES
        ]

    def sorted_rows(self) -> list[int]:
        """Numbers of rows, those on which the sides differ most first."""
        rows = list(self.rows)
        return sorted(range(len(rows)), key=lambda number: tuple(-part for part in disagreement(rows[number])))


def says(opinion: Mapping[str, Any] | None, measure: str) -> bool | None:
    """What a side says of one answer; None = it did not judge."""
    if opinion is None:
        return None
    if measure == "acted":
        action = opinion.get("action")
        return None if action in (None, "none", ABANDONED) else action not in NOT_STOPPED
    return opinion["verdict"] in FAULTY if opinion["verdict"] in _SCORED else None


def disagreement(row: Row) -> tuple[int, int, float]:
    """Whether sides differ on whether it is unfaithful, then on what to do, then how far their scores are apart."""
    differs = [len({says(o, m) for o in row.opinions} - {None}) > 1 for m in MEASURES]
    scores = [float(o["score"]) for o in row.opinions if o is not None and o["verdict"] in _SCORED]
    return (int(differs[0]), int(differs[1]), max(scores) - min(scores) if len(scores) > 1 else 0.0)


def _share(said: Sequence[bool | None]) -> Share:
    yes, no = said.count(True), said.count(False)
    return share(Weighed(records=yes, answers=yes, squares=yes), Weighed(records=no, answers=no, squares=no))


def _paired(rows: Sequence[Row], first: int, second: int, measure: str) -> Paired:
    said = [(says(row.opinions[first], measure), says(row.opinions[second], measure)) for row in rows]
    return paired(
        both=said.count((True, True)),
        only_first=said.count((True, False)),
        only_second=said.count((False, True)),
        neither=said.count((False, False)),
    )
