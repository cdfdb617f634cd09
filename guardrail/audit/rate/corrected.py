"""The rate of bad answers that labels of a sample give, never only the engine's own count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from guardrail.audit.rate.design import LEAST_OF_SLICE, Design, Part, design_path
from guardrail.errors import UsageError
from guardrail.evaluation.data.reading import read_labelled
from guardrail.evaluation.data.rows import BadRow
from guardrail.evaluation.stratified import share
from guardrail.types import Verdict

_BAD = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A stratum with its labels: of ``labelled`` drawn answers people call ``wrong`` so many bad."""

    part: Part
    labelled: int
    wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The rate of bad answers with ``label`` = ``value``, by the labels of those that were drawn among them."""

    label: str
    value: str
    rate: float
    low: float
    high: float
    answers: int
    labelled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The rate of bad answers among all logged ones with passages.

    Attributes:
        rate: Stratified estimate, 0..1.
        low: Lower end of the 95 % interval.
        high: Upper end.
        engine: The engine's own count as a rate of the same answers; what it could not judge counts as right.
        answers: Logged answers that the rate is of.
        labels: Different answers that have a label.
        drawn: Logged answers that were drawn.
        labelled: Those of them that have a label.
        fingerprint: Of the engine and policy that made the strata.
        strata: By stratum, as drawn.
        joined: Names of strata without any label, which count as their neighbour does.
        slices: Rates by label and value, of those with enough labelled answers.
    """

    rate: float
    low: float
    high: float
    engine: float
    answers: int
    labels: int
    drawn: int
    labelled: int
    fingerprint: str
    strata: tuple[Labelled, ...]
    joined: tuple[str, ...] = ()
    slices: tuple[Slice, ...] = ()


def corrected_rate(
    labels: str | Path, design: str | Path | None = None, *, on_bad: Callable[[BadRow], None] | None = None
) -> Corrected:
    """The rate with its 95 % interval: see guardrail.evaluation.stratified.

    Drawn answers without a label are taken for missing at random within their stratum.

    Args:
        labels: What people said: a label file of the studio, or rows of the queue with ``label``.
        design: Of the sample; None = beside the labels, under the same name.
        on_bad: Told of every row of the labels that cannot be read; default: a warning in the log.

    Raises:
        UsageError: a file cannot be read, or no drawn answer has a label.
    """
    plan = Design.read(design_path(Path(labels)) if design is None else Path(design))
    said = {one.id: one.label in _BAD for one in read_labelled(Path(labels), on_bad=on_bad)}
    strata = tuple(_labelled(part, said) for part in plan.parts)
    if not any(one.labelled for one in strata):
        raise UsageError(
            f"no answer of the sample has a label in {str(labels)!r}. Label its queue: guardrail studio SAMPLE.jsonl; "
            "or name the design that these labels belong to with --design."
        )
    rate, low, high = _share(strata)
    drawn = {ident for part in plan.parts for ident in part.drawn}
    return Corrected(
        rate=rate,
        low=low,
        high=high,
        engine=sum(part.bad for part in plan.parts) / plan.answers,
        answers=plan.answers,
        labels=len(drawn & said.keys()),
        drawn=sum(len(part.drawn) for part in plan.parts),
        labelled=sum(one.labelled for one in strata),
        fingerprint=plan.fingerprint,
        strata=strata,
        joined=tuple(one.part.name for one in strata if not one.labelled),
        slices=tuple(_slices(plan, said)),
    )


def _slices(plan: Design, said: dict[str, bool]) -> Iterator[Slice]:
    """Answers drawn at random within a stratum are so within each slice of it, too (Cochran, section 5A.14)."""
    for label, values in plan.slices.items():
        for value, sizes in values.items():
            parts = [_within(p, n, label, value) for p, n in zip(plan.parts, sizes, strict=True) if n]
            strata = tuple(_labelled(part, said) for part in parts)
            labelled = sum(one.labelled for one in strata)
            if labelled >= LEAST_OF_SLICE:
                rate, low, high = _share(strata)
                yield Slice(label=label, value=value, rate=rate, low=low, high=high, answers=sum(sizes),
                            labelled=labelled)  # fmt: skip


def _within(part: Part, answers: int, label: str, value: str) -> Part:
    """The stratum's part of a slice; how many of it the engine calls bad is not asked for."""
    drawn = tuple(i for i, labels in zip(part.drawn, part.labels, strict=True) if labels.get(label) == value)
    return replace(part, answers=answers, bad=0, drawn=drawn, labels=())


def _share(strata: tuple[Labelled, ...]) -> tuple[float, float, float]:
    groups = _with_labels(strata)
    found = share(
        [sum(s.wrong for s in group) for group in groups],
        [sum(s.labelled for s in group) for group in groups],
        [sum(s.part.answers for s in group) for group in groups],
    )
    rate, low, high = map(float, found)
    return rate, low, high


def _labelled(part: Part, said: dict[str, bool]) -> Labelled:
    found = Counter(said[ident] for ident in part.drawn if ident in said)
    return Labelled(part, found.total(), found[True])


def _with_labels(strata: tuple[Labelled, ...]) -> list[list[Labelled]]:
    """Strata by themselves; one without a label goes with the one before, the first with the next."""
    groups: list[list[Labelled]] = []
    for one in strata:
        if groups and (not one.labelled or not any(s.labelled for s in groups[-1])):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups
