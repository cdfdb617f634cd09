"""Answers of an audit in strata, by the engine's verdict and bands of its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.types import Verdict

EDGES = (0.2, 0.5, 0.8, 0.95)
"""Scores at which a band begins, besides 0."""

LEAST = 25
"""Labels that there are on average for a stratum; where fewer are asked for, there are fewer strata."""

_ORDER = (
    Verdict.CONTRADICTED.value,
    Verdict.UNSUPPORTED.value,
    Verdict.UNVERIFIED.value,
    Verdict.SUPPORTED.value,
    Verdict.ABSTAINED.value,
)
_EXPECTED = {Verdict.UNVERIFIED.value: 0.5, Verdict.ABSTAINED.value: 0.05}


@dataclass(frozen=True, slots=True)
class Cell:
    """Answers of one verdict and band: how many, how many of them the engine calls bad, and 1 - their mean score."""

    verdict: str
    band: int
    answers: int
    bad: int
    doubt: float

    @property
    def expected(self) -> float:
        """The share of bad answers that the engine expects."""
        return _EXPECTED.get(self.verdict, self.doubt)


@dataclass(frozen=True, slots=True)
class Stratum:
    """Cells that are sampled as one."""

    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """Such as ``supported 0.8–0.95``."""
        names: dict[str, list[int]] = {}
        for cell in self.cells:
            names.setdefault(cell.verdict, []).append(cell.band)
        ends = (0.0, *EDGES, 1.0)
        return ", ".join(f"{verdict} {ends[min(b)]:g}–{ends[max(b) + 1]:g}" for verdict, b in names.items())

    @property
    def answers(self) -> int:
        """Logged answers in it."""
        return sum(cell.answers for cell in self.cells)

    @property
    def bad(self) -> int:
        """How many of them the engine calls contradicted or unsupported."""
        return sum(cell.bad for cell in self.cells)

    @property
    def expected(self) -> float:
        """The share of bad answers that the engine expects."""
        return sum(cell.answers * cell.expected for cell in self.cells) / self.answers


def strata_of(cells: Sequence[Cell], size: int) -> list[Stratum]:
    """Strata for a sample of that size: neighbours are joined, the smallest first, until each gets enough labels."""
    ordered = sorted(cells, key=lambda cell: (_ORDER.index(cell.verdict), cell.band))
    found = [Stratum((cell,)) for cell in ordered if cell.answers]
    while len(found) > max(1, size // LEAST):
        least = min(range(len(found)), key=lambda n: found[n].answers)
        beside = [n for n in (least - 1, least + 1) if 0 <= n < len(found)]
        other = min(beside, key=lambda n: abs(found[n].expected - found[least].expected))
        first, second = sorted((least, other))
        found[first : second + 1] = [Stratum(found[first].cells + found[second].cells)]
    return found
