"""``guardrail calibrate --cascade``: where a cascade should ask its judge, and what that costs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from guardrail.cli.engines import EngineChoice
from guardrail.cli.streams import progress_bar
from guardrail.errors import UsageError
from guardrail.evaluation.band import Band, LocalAnswer, choose_band
from guardrail.evaluation.cases import Shared, cases
from guardrail.evaluation.data.reading import read_labelled
from guardrail.evaluation.data.rows import BadRow
from guardrail.evaluation.judged import judge
from guardrail.guard import Guard
from guardrail.policy.policy import Policy
from guardrail.types import Verdict

_FEW = 50
"""Held-out cases below which the interval is too wide to rely on."""


def show_band(
    data: Path,
    target: float,
    judge_error: float,
    engine: EngineChoice,
    case: Shared,
    start: Policy,
    *,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Choose the band on labelled answers and print it.

    Raises:
        UsageError: the engine is none that a cascade has first, or the data cannot be read or are too few.
    """
    if engine.asks:
        raise UsageError(
            f"--cascade measures the first engine of a cascade alone; --engine {engine.name} asks a model."
        )
    bad: list[BadRow] = []
    labelled = list(read_labelled(data, on_bad=bad.append))
    refuse_bad(bad, skip=skip_bad)
    guard = Guard(policy=Policy(name="calibrate", deadline=start.deadline), engine=engine.build(start))
    with progress_bar("checking", len(labelled), shown=sys.stderr.isatty()) as tick:
        judged = judge(guard, labelled, tick=tick, jobs=engine.at_once)
    answers = [
        LocalAnswer(
            supported=one.answer.supported,
            scores=tuple(None if f.verdict is Verdict.UNVERIFIED else f.score for f in one.report.findings),
            case=number,
        )
        for one, number in zip(judged, cases(labelled, case), strict=True)
        if one.answer.label is not Verdict.ABSTAINED and one.report.findings
    ]
    if len({answer.case for answer in answers}) < 2:
        raise UsageError(
            "--cascade needs labelled answers of at least two cases, one half to choose on, one to measure."
        )
    band = choose_band(answers, target, judge_error=judge_error)
    if as_json:
        typer.echo(json.dumps(asdict(band) | {"target": target, "judge_error": judge_error, "unreadable": len(bad)}))
    else:
        _show(band, target, judge_error)


def _show(band: Band, target: float, judge_error: float) -> None:
    told = band.held_out
    typer.echo(f"band {band.low:g}..{band.high:g}: CascadeEngine(low={band.low:g}, high={band.high:g})")
    typer.echo(
        f"  measured on {told.n} answers of {told.cases} cases that it was not chosen on: {told.error:.1%} decided "
        f"wrongly (95 % interval {told.error_from:.1%} to {told.error_to:.1%}), {told.calls:.2f} judge calls per answer"
    )
    sure = "a judge without errors" if not judge_error else f"a judge that decides {judge_error:.1%} wrongly"
    typer.echo(f"  assumes {sure}; measure yours with `guardrail eval --engine llm` and pass --judge-error")
    if not band.reached:
        typer.echo(f"warning: no band reaches {target:.1%}; this one comes nearest.", err=True)
    elif told.error_to > target:
        typer.echo(f"warning: with {told.cases} cases an error above {target:.1%} cannot be excluded.", err=True)
    if told.cases < _FEW:
        typer.echo(f"warning: {told.cases} cases are few; label more before you rely on this.", err=True)


def refuse_bad(bad: Sequence[BadRow], *, skip: bool) -> None:
    """A guarantee is for answers drawn like those labelled; which of them to leave out is not ours to say.

    Raises:
        UsageError: there are bad rows, and they may not be skipped.
    """
    for row in bad:
        typer.echo(str(row), err=True)
    if bad and not skip:
        raise UsageError(f"rows that cannot be read: {len(bad)}. Mend them, or leave them out with --skip-bad.")
