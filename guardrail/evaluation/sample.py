"""Judged answers as columns, one row per answer or claim, and the baseline: how much of it the passages hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from guardrail.evaluation.cases import Shared, cases
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.judged import Judged
from guardrail.text.words import Overlap, content_words
from guardrail.types import Passage, Verdict

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Columns of equal length n. Rows whose label is ABSTAINED are not in it.

    Attributes:
        good: The label says SUPPORTED.
        passed: The guard says so: its verdict at its threshold.
        score: The guard's score, 0..1; 0 where it did not judge.
        judged: The guard did judge: its verdict is neither UNVERIFIED nor, wrongly, ABSTAINED.
        overlap: Share of the row's content words that the passages hold: the baseline (see covered).
        group: Number of the resampling group, 0 to G-1.
    """

    good: Flags
    passed: Flags
    score: Numbers
    judged: Flags
    overlap: Numbers
    group: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.good)

    @property
    def both(self) -> bool:
        """Whether there are supported rows and wrong ones."""
        return bool(self.good.any()) and not bool(self.good.all())

    def where(self, mask: Flags) -> Sample:
        """The rows of the mask."""
        return Sample(
            good=self.good[mask],
            passed=self.passed[mask],
            score=self.score[mask],
            judged=self.judged[mask],
            overlap=self.overlap[mask],
            group=numbered(self.group[mask].tolist()),
        )


def sample(rows: Sequence[Judged], shared: Shared = Shared.PASSAGE) -> Sample:
    """Columns of the rows; those of one case (guardrail.evaluation.cases) are resampled together.

    An answer that claims something and that the guard takes for one that declines is a mistake whatever its label: a
    supported one counts as not passed with score 0, a wrong one as passed with score 1, as a policy would deliver it.
    """
    good = np.array([row.answer.supported for row in rows], dtype=bool)
    declined = np.array([row.report.verdict is Verdict.ABSTAINED for row in rows], dtype=bool)
    unverified = np.array([row.report.verdict is Verdict.UNVERIFIED for row in rows], dtype=bool)
    passed = np.array([row.passed for row in rows], dtype=bool)
    score = np.array([row.report.score for row in rows], dtype=float)
    return Sample(
        good=good,
        passed=np.where(declined, ~good, passed),
        score=np.where(declined, (~good).astype(float), np.where(unverified, 0.0, score)),
        judged=~(declined | unverified),
        overlap=np.array([covered(row.answer) for row in rows], dtype=float),
        group=numbered(cases([row.answer for row in rows], shared)),
    )


def together(parts: Sample, answer: Sequence[object]) -> Sample:
    """Claims put together to the answers that they are part of: the worst claim decides, as the guard does.

    Args:
        parts: One row per claim.
        answer: Which answer each claim is part of; equal keys for one answer.
    """
    of = numbered(answer)
    count = int(np.max(of)) + 1 if len(of) else 0
    lowest, overlap = np.ones(count), np.ones(count)
    np.minimum.at(lowest, of, parts.score)
    np.minimum.at(overlap, of, parts.overlap)
    group = np.zeros(count, dtype=np.intp)
    group[of] = parts.group

    def everywhere(column: Flags) -> Flags:
        whole = np.ones(count, dtype=bool)
        np.logical_and.at(whole, of, column)
        return whole

    return Sample(
        good=everywhere(parts.good),
        passed=everywhere(parts.passed),
        score=lowest,
        judged=everywhere(parts.judged),
        overlap=overlap,
        group=numbered(group.tolist()),
    )


def numbered(names: Iterable[object]) -> NDArray[np.intp]:
    """Equal names get equal numbers, from 0 in order of appearance."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)


def covered(answer: LabelledAnswer) -> float:
    """Share (0..1) of the answer's content words, rare ones weighing more, that occur in any passage or its title."""
    bags = [_words(passage) for passage in answer.passages]
    return Overlap(bags).coverage(content_words(answer.answer), range(len(bags)))


@lru_cache(maxsize=1024)
def _words(passage: Passage) -> tuple[str, ...]:
    """Distinct content words of a passage; many answers of a data set share their passages."""
    return tuple(dict.fromkeys(content_words(f"{passage.title or ''} {passage.text}")))
