"""``guardrail calibrate``: labelled answers in, a policy file with a guaranteed threshold out."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from guardrail.cli.cascade_band import refuse_bad, show_band
from guardrail.cli.engines import EngineChoice, show_usage, with_engine
from guardrail.cli.streams import progress_bar
from guardrail.errors import UsageError
from guardrail.evaluation.calibrate import (
    base_fields,
    calibration,
    choose_for,
    cost_line,
    lost,
    noun,
    refuse_too_few,
    rules,
    summary,
)
from guardrail.evaluation.cases import Shared, cases
from guardrail.evaluation.conformal import Risk, refuse_bounds
from guardrail.evaluation.data.output import refuse_unwritable, write_whole
from guardrail.evaluation.data.reading import read_labelled
from guardrail.evaluation.data.rows import BadRow
from guardrail.evaluation.guarantee import policy_text, sources
from guardrail.evaluation.judged import judge
from guardrail.guard import Guard
from guardrail.policy.by_name import PRESET_OR_FILE, policy_fields, policy_file, read_policy
from guardrail.policy.calibration import Calibration
from guardrail.policy.policy import Policy
from guardrail.types import Usage


@with_engine
def calibrate(
    data: Annotated[Path, typer.Argument(help="Labelled answers; the formats of `guardrail eval`.")],
    target_error: Annotated[float, typer.Option(help="Bound on the risk, between 0 and 1.")],
    out: Annotated[Path | None, typer.Option(help="Policy file to write; not the one to start from.")] = None,
    risk: Annotated[
        Risk,
        typer.Option(
            help="missed: of wrong answers, the share delivered as supported. delivered-wrong: of all answers, the "
            "share wrong and delivered as supported. false-alarm: of right answers, the share flagged."
        ),
    ] = Risk.MISSED,
    delta: Annotated[
        float | None,
        typer.Option(help="Guarantee with probability 1 - delta over the labels; left out: in expectation."),
    ] = None,
    case: Annotated[
        Shared,
        typer.Option(
            help="What makes answers one case, which counts once. passage: the same question or a shared passage. "
            "question: the question alone, if the questions are a plain sample and the passages stay as they are."
        ),
    ] = Shared.PASSAGE,
    policy: Annotated[str, typer.Option(help=f"What the file starts from: {PRESET_OR_FILE}")] = "monitor",
    *,
    engine: EngineChoice,
    cascade: Annotated[
        bool,
        typer.Option(
            "--cascade",
            help="Choose the band in which a cascade asks its judge instead: the cheapest one at which at most "
            "--target-error of the answers are decided wrongly. Writes no file.",
        ),
    ] = False,
    judge_error: Annotated[
        float,
        typer.Option(help="With --cascade: share of answers that the judge decides wrongly.", min=0.0, max=1.0),
    ] = 0.0,
    date: Annotated[str | None, typer.Option(help="Written into the file; none if left out.")] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read, instead of stopping with code 2.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Choose a threshold whose error is guaranteed (conformal risk control), and write it into a policy file.

    Example: guardrail calibrate labelled.jsonl --target-error 0.05 --out policy.yaml

    A cascade's band: guardrail calibrate labelled.jsonl --target-error 0.05 --cascade
    """
    refuse_bounds(target_error, delta)
    if cascade:
        show_band(
            data, target_error, judge_error, engine, case, read_policy(policy), skip_bad=skip_bad, as_json=as_json
        )
        return
    if out is None:
        raise UsageError("--out is missing: the policy file to write.")
    start, base = read_policy(policy), _base(policy)
    _refuse_out(out, data, policy)
    # The engine is that of the policy to write: a cascade looks at its actions.
    guard = Guard(policy=rules(start), engine=engine.build(start))
    bad: list[BadRow] = []
    labelled = list(read_labelled(data, on_bad=bad.append))
    refuse_bad(bad, skip=skip_bad)
    what, case_of = noun(labelled), cases(labelled, case)
    refuse_too_few(labelled, case_of, risk, target_error, delta)
    with progress_bar("checking", len(labelled), shown=sys.stderr.isatty()) as tick:
        judged = judge(guard, labelled, tick=tick, jobs=engine.at_once)
    show_usage(sum((one.report.usage for one in judged), Usage()), len(judged))
    choice = choose_for(judged, case_of, risk, target_error, delta)
    found = calibration(choice, data, guard.engine, what, deadline=start.deadline, shared=case, date=date)
    write_whole(out, policy_text(base, found))
    Policy.load(out)  # what we wrote must be what we read
    figures = summary(choice, judged) | {"unreadable": len(bad), "deadline": start.deadline}
    if as_json:
        typer.echo(json.dumps(asdict(found) | figures))
    else:
        _show(out, found, figures, what)


def _base(policy: str) -> dict[str, Any]:
    """Fields of the policy file to write, before the threshold. A preset's name means the preset, file or not."""
    return base_fields(policy_fields(policy))


def _refuse_out(out: Path, data: Path, policy: str) -> None:
    refuse_unwritable(out, sources(data))
    file = policy_file(policy)
    if file is not None and out.exists() and out.samefile(file):
        raise UsageError(
            f"--out {str(out)!r} is the policy file to start from; its comments would be lost. Name another file."
        )


def _show(out: Path, found: Calibration, figures: dict[str, Any], what: str) -> None:
    typer.echo(f"threshold {found.threshold:g} written to {out}")
    typer.echo(f"  {found.guarantee}")
    cost = cost_line(figures["cost"], found.risk, what)
    typer.echo(f"  in these data: {found.risk} {figures['observed_risk']:.1%}; {cost}")
    typer.echo(
        f"  read: {figures['right']} right, {figures['wrong']} wrong, {figures['declines']} labelled as declining "
        f"(left out). The guard could not judge {figures['unverified']} (never delivered as supported) and took "
        f"{figures['taken_for_declines']} for declining (always delivered)."
    )
    if figures["unreadable"]:
        typer.echo(f"  rows left out, since they could not be read: {figures['unreadable']}")
    if figures["costly"]:
        typer.echo(
            f"warning: {figures['cost']:.0%} of {lost(found.risk, what)}. Raise --target-error, or label data nearer "
            "to yours.",
            err=True,
        )
    if found.threshold == 0.0:
        typer.echo(
            "warning: a threshold of 0 flags only a namesake's facts, reversed relations and what could not be judged; "
            "the target asks no more.",
            err=True,
        )
