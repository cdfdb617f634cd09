"""What an evaluation says of a data set: figures with intervals, per error type, language and length, and curves."""

from __future__ import annotations

from dataclasses import dataclass

from guardrail.evaluation.bootstrap import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeShare:
    """Rows of one error type (or ``supported``): how many the guard flags, and how often it names the type."""

    name: str
    n: int
    flagged: Estimate
    named: float | None
    not_judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Rows of one language or length; ``figures`` has the names of metrics.NAMES."""

    name: str
    n: int
    figures: dict[str, Estimate]
    not_judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """One of ten bins of equal mass: rows, mean score and share supported."""

    n: int
    score: float
    supported: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Accuracy on the rows that are kept when the unsurest are handed on."""

    coverage: float
    accuracy: float
    balanced_accuracy: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixed:
    """Detection of namesakes mixed up, where labelled (``n`` rows); ``false_rate`` among supported rows without it."""

    n: int
    precision: float | None
    recall: float | None
    f1: float | None
    false_rate: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Figures of all answers, or all claims, of a data set.

    ``level`` is ``answers``, ``claims``, or ``answers from claims`` (supported where all their claims are).
    ``n`` rows make ``cases``, which the intervals are drawn over. ``figures`` has the names of metrics.NAMES.
    ``best_threshold`` was chosen on these very rows. ``roc`` and ``overlap_roc`` hold (false alarm rate, recall of
    errors) of the guard and of the overlap baseline.
    """

    level: str
    n: int
    cases: int
    supported: int
    not_judged: int
    called_abstained: int
    figures: dict[str, Estimate]
    best_threshold: float | None
    types: tuple[TypeShare, ...] = ()
    languages: tuple[Slice, ...] = ()
    lengths: tuple[Slice, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    calibration: tuple[Bin, ...] = ()
    roc: tuple[tuple[float, float], ...] = ()
    overlap_roc: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMeasures:
    """One data set: its levels (the first is the headline), its abstained answers and its mix-ups."""

    name: str
    levels: tuple[Level, ...]
    abstained: int
    abstained_found: int
    mixed: Mixed | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All data sets, the mean of each headline figure over them, and what was run."""

    sets: tuple[SetMeasures, ...]
    mean: dict[str, float | None]
    engine: str
    policy: str
    threshold: float
