"""``guardrail calibrate``: labelled answers in, a policy file with a guaranteed threshold out."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from guardrail.cli.cascade_band import refuse_bad, show_band
from guardrail.cli.engines import EngineChoice, show_usage, with_engine
from guardrail.cli.policy import PRESET_OR_FILE, policy_fields, policy_file, read_policy
from guardrail.cli.streams import progress_bar
from guardrail.errors import UsageError
from guardrail.evaluation.cases import Shared, cases
from guardrail.evaluation.conformal import Choice, Risk, choose, outcome, perfect_outcome, refuse_bounds
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.reading import read_labelled
from guardrail.evaluation.data.rows import BadRow
from guardrail.evaluation.guarantee import guarantee, policy_text, sources
from guardrail.evaluation.judged import Judged, judge
from guardrail.guard import Guard
from guardrail.output import refuse_unwritable, write_whole
from guardrail.policy.calibration import Calibration, engine_identity, hash_files
from guardrail.policy.policy import Policy
from guardrail.types import Usage, Verdict

_COSTLY = 0.5
"""Share of the other sort of answers lost from which the threshold is hardly of use."""


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
    # At threshold 0 a score stands for every threshold at which the answer passes. What the written policy's deadline
    # would cut off must be cut off here too, or its false alarms would be missing.
    rules = Policy(name="calibrate", threshold=0.0, deadline=start.deadline)
    # The engine is that of the policy to write: a cascade looks at its actions.
    guard = Guard(policy=rules, engine=engine.build(start))
    bad: list[BadRow] = []
    labelled = list(read_labelled(data, on_bad=bad.append))
    refuse_bad(bad, skip=skip_bad)
    noun, case_of = _noun(labelled), cases(labelled, case)
    # Labels that are too few even for a perfect guard are refused before the work.
    choose(list(filter(None, map(perfect_outcome, labelled, case_of))), risk, target_error, delta)
    with progress_bar("checking", len(labelled), shown=sys.stderr.isatty()) as tick:
        judged = judge(guard, labelled, tick=tick, jobs=engine.at_once)
    show_usage(sum((one.report.usage for one in judged), Usage()), len(judged))
    _refuse_unjudged(judged)
    found = (outcome(one.answer, one.report, number) for one, number in zip(judged, case_of, strict=True))
    choice = choose(list(filter(None, found)), risk, target_error, delta)
    calibration = Calibration(
        data=hash_files(sources(data)),
        n=choice.n,
        risk=choice.risk.value,
        target=choice.target,
        delta=choice.delta,
        threshold=choice.threshold,
        engine=engine_identity(guard.engine),
        guarantee=guarantee(choice, noun, deadline=start.deadline, shared=case),
        date=date,
    )
    write_whole(out, policy_text(base, calibration))
    Policy.load(out)  # what we wrote must be what we read
    summary = _summary(choice, judged) | {"unreadable": len(bad), "deadline": start.deadline}
    if as_json:
        typer.echo(json.dumps(asdict(calibration) | summary))
    else:
        _show(out, calibration, summary, noun)


def _base(policy: str) -> dict[str, Any]:
    """Fields of the policy file to write, before the threshold. A preset's name means the preset, file or not."""
    return {key: value for key, value in policy_fields(policy).items() if key not in ("threshold", "calibration")}


def _refuse_out(out: Path, data: Path, policy: str) -> None:
    refuse_unwritable(out, sources(data))
    file = policy_file(policy)
    if file is not None and out.exists() and out.samefile(file):
        raise UsageError(
            f"--out {str(out)!r} is the policy file to start from; its comments would be lost. Name another file."
        )


def _noun(labelled: list[LabelledAnswer]) -> str:
    claims = sum(one.claim for one in labelled)
    if 0 < claims < len(labelled):
        raise UsageError(
            f"the data hold {claims} claims and {len(labelled) - claims} whole answers; a guarantee needs one kind. "
            "Calibrate on the files one by one."
        )
    return "claim" if claims else "answer"


def _refuse_unjudged(judged: list[Judged]) -> None:
    """What nobody judged is not delivered as supported at any threshold, so it would seem to be safe."""
    unjudged = [one.report for one in judged if one.report.verdict is Verdict.UNVERIFIED]
    if len(unjudged) * 2 > len(judged):
        first = unjudged[0]
        why = first.reason or next((f.reason for f in first.findings if f.verdict is Verdict.UNVERIFIED), "")
        raise UsageError(
            f"the guard could not judge {len(unjudged)} of {len(judged)} ({why}), so no threshold can be told from "
            "them. Use data that the engine reads."
        )


def _summary(choice: Choice, judged: list[Judged]) -> dict[str, Any]:
    """Counts of what was read, and what the threshold costs on it (estimates, not guaranteed)."""
    verdicts = Counter(one.report.verdict for one in judged if one.answer.label is not Verdict.ABSTAINED)
    return {
        "answers": len(judged),
        "right": sum(one.answer.supported for one in judged),
        "wrong": sum(one.answer.label in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED) for one in judged),
        "declines": sum(one.answer.label is Verdict.ABSTAINED for one in judged),
        "unverified": verdicts[Verdict.UNVERIFIED],
        "taken_for_declines": verdicts[Verdict.ABSTAINED],
        "observed_risk": round(choice.loss, 4),
        "cost": None if choice.cost is None else round(choice.cost, 4),
        "costly": choice.cost is not None and choice.cost > _COSTLY,
    }


def _show(out: Path, calibration: Calibration, summary: dict[str, Any], noun: str) -> None:
    alarm = calibration.risk == Risk.FALSE_ALARM
    lost = f"wrong {noun}s delivered as supported" if alarm else f"right {noun}s flagged"
    cost = "unknown: the data hold none" if summary["cost"] is None else f"{summary['cost']:.1%} (an estimate)"
    typer.echo(f"threshold {calibration.threshold:g} written to {out}")
    typer.echo(f"  {calibration.guarantee}")
    typer.echo(f"  in these data: {calibration.risk} {summary['observed_risk']:.1%}; {lost}: {cost}")
    typer.echo(
        f"  read: {summary['right']} right, {summary['wrong']} wrong, {summary['declines']} labelled as declining "
        f"(left out). The guard could not judge {summary['unverified']} (never delivered as supported) and took "
        f"{summary['taken_for_declines']} for declining (always delivered)."
    )
    if summary["unreadable"]:
        typer.echo(f"  rows left out, since they could not be read: {summary['unreadable']}")
    if summary["costly"]:
        typer.echo(
            f"warning: {summary['cost']:.0%} of {lost}. Raise --target-error, or label data nearer to yours.", err=True
        )
    if calibration.threshold == 0.0:
        typer.echo(
            "warning: a threshold of 0 flags only a namesake's facts, reversed relations and what could not be judged; "
            "the target asks no more.",
            err=True,
        )
