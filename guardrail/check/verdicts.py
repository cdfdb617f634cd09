"""Verdicts: of a row or cell, and RefChecker's aggregation of several to one of the claim or answer. Pure.

Entailment, Contradiction and Neutral are SUPPORTED, CONTRADICTED and UNSUPPORTED; its Abstain is ABSTAINED. It knows no
UNVERIFIED: here that is a label of its own, worse than SUPPORTED and better than the two that were judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from guardrail.errors import UsageError
from guardrail.types import Cell, Row, Verdict

WORST_FIRST = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNVERIFIED, Verdict.SUPPORTED)
"""Labels of claims, worst first."""


_CONTRADICTED = 0.5
"""Probability of a contradiction from which it is one."""


def verdict_of(judged: Row | Cell | None, threshold: float) -> Verdict:
    """The verdict of a row (all passages together) or of a cell (one passage); UNVERIFIED where nobody judged."""
    if judged is None or (isinstance(judged, Row) and judged.unverified is not None):
        return Verdict.UNVERIFIED
    if judged.supported >= threshold:
        return Verdict.SUPPORTED
    return Verdict.CONTRADICTED if judged.contradicted >= _CONTRADICTED else Verdict.UNSUPPORTED


class Ratios(NamedTuple):
    """Shares of labels (0..1, together 1); ``abstain`` is 1.0 where there are no claims, else 0.0."""

    entailment: float = 0.0
    neutral: float = 0.0
    contradiction: float = 0.0
    unverified: float = 0.0
    abstain: float = 0.0


def strict(labels: Iterable[Verdict]) -> Verdict:
    """The worst label; so SUPPORTED only where all are, and ABSTAINED where there are none (RefChecker, tau).

    Raises:
        UsageError: a label is ABSTAINED, which only whole answers are.
    """
    counts = _count(labels)
    return next((verdict for verdict in WORST_FIRST if counts[verdict]), Verdict.ABSTAINED)


def soft(labels: Iterable[Verdict]) -> Ratios:
    """The share of each label (RefChecker, evaluation metric). Raises as ``strict`` does."""
    counts = _count(labels)
    total = counts.total()
    if not total:
        return Ratios(abstain=1.0)
    return Ratios(
        entailment=counts[Verdict.SUPPORTED] / total,
        neutral=counts[Verdict.UNSUPPORTED] / total,
        contradiction=counts[Verdict.CONTRADICTED] / total,
        unverified=counts[Verdict.UNVERIFIED] / total,
    )


def major(labels: Iterable[Verdict]) -> Verdict:
    """The commonest label, of several the worse; ABSTAINED where there are none. Raises as ``strict`` does."""
    counts = _count(labels)
    # max keeps the first of equals, and the worse come first.
    return max(WORST_FIRST, key=counts.__getitem__) if counts else Verdict.ABSTAINED


def merge(by_passage: Sequence[Verdict]) -> Verdict:
    """The label of one claim from its labels by passage.

    As RefChecker merges references: SUPPORTED where any passage supports it, else CONTRADICTED where any contradicts
    it, else UNSUPPORTED. Where none of the two holds and a passage was not judged, UNVERIFIED: it might have been the
    one. The same where there are no passages. Raises as ``strict`` does.
    """
    present = set(_count(by_passage))
    for verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNVERIFIED):
        if verdict in present:
            return verdict
    return Verdict.UNSUPPORTED if present else Verdict.UNVERIFIED


def _count(labels: Iterable[Verdict]) -> Counter[Verdict]:
    counts = Counter(labels)
    strange = [label for label in counts if label not in WORST_FIRST]
    if strange:
        raise UsageError(f"a label must be one of {', '.join(WORST_FIRST)}; got {strange[0]!r}.")
    return counts
