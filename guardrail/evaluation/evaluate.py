"""From judged answers to measures. Pure; nothing is fitted but the threshold that is called the best one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from guardrail.evaluation import metrics
from guardrail.evaluation.bootstrap import RESAMPLES, Estimate, estimates
from guardrail.evaluation.cases import Shared
from guardrail.evaluation.judged import Judged
from guardrail.evaluation.measures import Bin, Coverage, Evaluation, Level, Mixed, SetMeasures, Slice, TypeShare
from guardrail.evaluation.sample import Flags, Numbers, Sample, sample, together
from guardrail.policy.policy import Policy
from guardrail.types import ErrorType, Verdict

LENGTHS = (("up to 15 words", 15), ("16 to 40", 40), ("41 to 100", 100), ("over 100", None))
"""Bands of answer length in words; a Chinese character counts as a word."""
COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)

_STRAIGHT = 1e-12
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def evaluate(
    judged: Sequence[Judged], policy: Policy, *, resamples: int = RESAMPLES, shared: Shared = Shared.PASSAGE
) -> Evaluation:
    """Measures of each data set among the judged answers, in order of appearance.

    Args:
        judged: Answers with their reports, all checked under ``policy``.
        policy: Its threshold is the shipped one.
        resamples: Bootstrap samples per interval.
        shared: What answers of one case share; cases are drawn, not answers.
    """
    names = list(dict.fromkeys(row.answer.dataset for row in judged))
    sets = tuple(
        _measure_set(name, [row for row in judged if row.answer.dataset == name], policy.threshold, resamples, shared)
        for name in names
    )
    return Evaluation(
        sets=sets,
        mean=_mean(sets),
        engine=judged[0].report.engine if judged else "",
        policy=policy.name,
        threshold=policy.threshold,
    )


def _mean(sets: Sequence[SetMeasures]) -> dict[str, float | None]:
    """Plain mean over the sets where a figure is defined."""
    means: dict[str, float | None] = {}
    for name in metrics.NAMES:
        values = [v for s in sets if s.levels and (v := s.levels[0].figures[name].value) is not None]
        means[name] = sum(values) / len(values) if values else None
    return means


def _measure_set(name: str, rows: Sequence[Judged], threshold: float, resamples: int, shared: Shared) -> SetMeasures:
    declining = [row for row in rows if row.answer.label is Verdict.ABSTAINED]
    claiming = [row for row in rows if row.answer.label is not Verdict.ABSTAINED]
    answers = [row for row in claiming if not row.answer.claim]
    claims = [row for row in claiming if row.answer.claim]
    levels = []
    for level, part in (("answers", answers), ("claims", claims)):
        if part:
            levels.append(_measure(level, part, threshold, resamples, shared))
    parts = [row for row in claims if row.answer.part_of]
    # Two questions may have the same answer, such as "Yes.".
    wholes = [(row.answer.group, row.answer.part_of) for row in parts]
    if not answers and len(set(wholes)) < len(parts):
        whole = together(sample(parts, shared), wholes)
        levels.append(_level("answers from claims", whole, 0, threshold, resamples))
    return SetMeasures(
        name=name,
        levels=tuple(levels),
        abstained=len(declining),
        abstained_found=sum(row.report.verdict is Verdict.ABSTAINED for row in declining),
        mixed=_mixed(rows),
    )


def _measure(level: str, rows: Sequence[Judged], threshold: float, resamples: int, shared: Shared) -> Level:
    columns = sample(rows, shared)
    declined = sum(row.report.verdict is Verdict.ABSTAINED for row in rows)
    start = _level(level, columns, declined, threshold, resamples)
    lengths = np.array([len(_WORD.findall(row.answer.answer)) for row in rows])
    langs = np.array([row.answer.lang for row in rows])
    bands, lower = [], 0
    for name, upper in LENGTHS:
        bands.append((name, (lengths > lower if lower else lengths >= 0) & (lengths <= (upper or np.inf))))
        lower = upper or 0
    return replace(
        start,
        types=_types(rows, columns, resamples),
        languages=tuple(_slice(lang, columns, langs == lang, start, resamples) for lang in sorted(set(langs.tolist()))),
        lengths=tuple(_slice(name, columns, mask, start, resamples) for name, mask in bands if mask.any()),
    )


def _level(level: str, rows: Sample, declined: int, threshold: float, resamples: int) -> Level:
    roc = metrics.curve(rows.good, rows.score, np.ones((1, len(rows))))
    best = int(metrics.balanced(roc)[0].argmax()) if rows.both else None
    baseline = metrics.curve(rows.good, rows.overlap, np.ones((1, len(rows))))
    return Level(
        level=level,
        n=len(rows),
        cases=len(set(rows.group.tolist())),
        supported=int(rows.good.sum()),
        not_judged=int((~rows.judged).sum()) - declined,
        called_abstained=declined,
        figures=_figures(rows, resamples),
        best_threshold=None if best is None else float(roc.thresholds[best]),
        coverage=_coverage(rows, threshold),
        calibration=_bins(rows.where(rows.judged)),
        roc=_corners(roc) if rows.both else (),
        overlap_roc=_corners(baseline) if rows.both else (),
    )


def _corners(roc: metrics.Curve) -> tuple[tuple[float, float], ...]:
    """The points at which the curve turns; those on a straight line between two others say nothing."""
    points = list(zip(roc.alarms[0].tolist(), roc.found[0].tolist(), strict=True))
    kept = points[:1]
    for here, after in pairwise(points[1:]):
        (x0, y0), (x1, y1), (x2, y2) = kept[-1], here, after
        if abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) > _STRAIGHT:
            kept.append(here)
    return (*kept, points[-1])


def _figures(rows: Sample, resamples: int) -> dict[str, Estimate]:
    return estimates(rows.group, lambda weights: metrics.headline(rows, weights), resamples)


def _slice(name: str, rows: Sample, mask: Flags, whole: Level, resamples: int) -> Slice:
    part = rows.where(mask)
    figures = whole.figures if mask.all() else _figures(part, resamples)  # one language only: known already
    return Slice(name=name, n=len(part), figures=figures, not_judged=int((~part.judged).sum()))


def _types(rows: Sequence[Judged], columns: Sample, resamples: int) -> tuple[TypeShare, ...]:
    """Supported rows first, then the error types by name."""
    names = np.array([_type_name(row) for row in rows])
    shares = []
    for name in sorted(set(names.tolist()), key=lambda n: (n != Verdict.SUPPORTED.value, n)):
        mask = names == name
        part = columns.where(mask)
        typed = [row for row, inside in zip(rows, mask, strict=True) if inside and row.answer.error_type is not None]
        right = sum(row.answer.error_type in row.found_types for row in typed)
        shares.append(
            TypeShare(
                name=name,
                n=len(part),
                flagged=estimates(part.group, _flagged_share(part), resamples)["flagged"],
                named=right / len(typed) if typed and name != Verdict.SUPPORTED.value else None,
                not_judged=int((~part.judged).sum()),
            )
        )
    return tuple(shares)


def _flagged_share(part: Sample) -> Callable[[Numbers], dict[str, Numbers]]:
    return lambda weights: {"flagged": metrics.share(~part.passed, np.ones(len(part), dtype=bool), weights)}


def _type_name(row: Judged) -> str:
    answer = row.answer
    if answer.supported:
        return Verdict.SUPPORTED.value
    return answer.error_type.value if answer.error_type else answer.error_name or answer.label.value


def _bins(rows: Sample) -> tuple[Bin, ...]:
    number = metrics.mass_bins(rows.score)
    inside = [number == b for b in range(metrics.BINS)]
    return tuple(
        Bin(n=int(mask.sum()), score=float(rows.score[mask].mean()), supported=float(rows.good[mask].mean()))
        for mask in inside
        if mask.any()
    )


def _coverage(rows: Sample, threshold: float) -> tuple[Coverage, ...]:
    """Rows are handed on from the unsurest: first those nobody judged, then those nearest to the threshold."""
    above, below = max(1 - threshold, 1e-9), max(threshold, 1e-9)
    gap = rows.score - threshold
    sure = np.where(rows.judged, np.where(gap >= 0, gap / above, -gap / below), -1.0)
    order = np.argsort(-sure, kind="stable")
    found = []
    for count in dict.fromkeys(max(1, round(coverage * len(rows))) for coverage in COVERAGES):
        kept = order[:count]
        good, passed = rows.good[kept], rows.passed[kept]
        both = bool(good.any()) and not bool(good.all())
        balanced = float((passed[good].mean() + (~passed[~good]).mean()) / 2) if both else None
        accuracy = float((passed == good).mean())
        found.append(Coverage(coverage=len(kept) / len(rows), accuracy=accuracy, balanced_accuracy=balanced))
    return tuple(found)


def _mixed(rows: Sequence[Judged]) -> Mixed | None:
    labelled = [row for row in rows if row.answer.mixed is not None]
    said = [ErrorType.MIXED_ENTITIES in row.found_types for row in labelled]
    true = [bool(row.answer.mixed) for row in labelled]
    ordinary = [row for row in rows if row.answer.mixed is None and row.answer.supported]
    false = [ErrorType.MIXED_ENTITIES in row.found_types for row in ordinary]
    if not labelled and not any(false):
        return None
    hits = sum(s and t for s, t in zip(said, true, strict=True))
    return Mixed(
        n=len(labelled),
        precision=hits / sum(said) if any(said) else None,
        recall=hits / sum(true) if any(true) else None,
        f1=2 * hits / (sum(said) + sum(true)) if any(true) else None,
        false_rate=sum(false) / len(false) if false else None,
    )
