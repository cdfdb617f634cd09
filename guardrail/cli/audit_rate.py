"""``guardrail audit sample`` and ``rate``: people label a few answers, and the rate of all becomes one to quote."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from guardrail.cli.audit_columns import read_columns
from guardrail.errors import UsageError

_MOST = 500


def sample(
    folder: Annotated[Path, typer.Argument(help="Folder of an audit.")],
    size: Annotated[int, typer.Option(help="Answers to draw; 300 give a rate to within about 3 points.", min=1)] = 300,
    seed: Annotated[int, typer.Option(help="The same seed draws the same answers.")] = 1,
    to: Annotated[
        Path | None, typer.Option(help="The queue to write; default: sample.jsonl in FOLDER.", show_default=False)
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Where the texts are now; default: the sources of the audit.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="With --source: as in guardrail audit run.")] = "auto",
    column: Annotated[list[str] | None, typer.Option(help="With --source: as in guardrail audit run.")] = None,
    fingerprint: Annotated[
        str | None, typer.Option(help="Of engine and policy, or how it begins; default: those of the last run.")
    ] = None,
) -> None:
    """Draw answers by verdict and score for people to label, as a queue for guardrail studio.

    Example: guardrail audit sample audit --size 300, then guardrail studio audit/sample.jsonl
    """
    from guardrail.audit.rate import draw_sample
    from guardrail.audit.sources import open_source

    opened = None if source is None else open_source(source, form, read_columns(column, None))
    drawn = draw_sample(folder, size, seed=seed, to=to, source=opened, fingerprint=fingerprint)
    for part in drawn.design.parts:
        typer.echo(f"{part.name}: {len(part.drawn):,} of {part.answers:,} answers")
    if drawn.design.left_out:
        typer.echo(f"without passages, so not drawn: {drawn.design.left_out:,} answers")
    if drawn.gone:
        typer.echo(f"{drawn.gone:,} drawn texts are not in the source any more and get no label", err=True)
    if drawn.items - drawn.gone > _MOST:
        typer.echo(f"the studio shows {_MOST} answers in one queue; another draw number shows others", err=True)
    typer.echo(
        f"{drawn.answers:,} answers drawn, {drawn.items - drawn.gone:,} different ones to label. Next:\n"
        f"  guardrail studio {drawn.queue}\n"
        f"  guardrail audit rate {folder} --labels {drawn.queue.with_suffix('.labels.jsonl')}"
    )


def rate(
    folder: Annotated[Path, typer.Argument(help="Folder of the audit.")],
    labels: Annotated[
        Path | None,
        typer.Option(help="Label file of the studio; default: sample.labels.jsonl in FOLDER.", show_default=False),
    ] = None,
    design: Annotated[
        Path | None, typer.Option(help="Design of the sample; default: beside the labels.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """The rate of unsupported answers with a 95 % interval, by what people say of a sample of guardrail audit sample.

    Example: guardrail audit rate audit --labels audit/sample.labels.jsonl
    """
    from guardrail.audit.rate import corrected_rate

    found = corrected_rate(_labels(folder) if labels is None else labels, design)
    if as_json:
        typer.echo(json.dumps(asdict(found)))
        return
    typer.echo(
        f"{found.rate:.1%} of {found.answers:,} answers are not supported by their passages (95 % interval "
        f"{found.low:.1%} to {found.high:.1%})"
    )
    typer.echo(f"by labels of {found.labelled:,} of {found.drawn:,} drawn ones; the engine alone: {found.engine:.1%}")
    for one in found.strata:
        typer.echo(
            f"  {one.part.name}: {one.wrong:,} of {one.labelled:,} labelled are bad, for {one.part.answers:,} answers"
        )
    for part in found.slices:
        typer.echo(
            f"  {part.label} {part.value}: {part.rate:.1%} of {part.answers:,} answers (95 % interval "
            f"{part.low:.1%} to {part.high:.1%}), by {part.labelled:,} labels"
        )
    if found.labelled < found.drawn:
        typer.echo(
            f"{found.drawn - found.labelled:,} drawn answers have no label that people agree on. They are taken for "
            "missing by chance, so label the rest before you quote the rate.",
            err=True,
        )
    for name in found.joined:
        typer.echo(f"no answer of {name!r} has a label; it counts as the stratum beside it does", err=True)


def _labels(folder: Path) -> Path:
    """The label file of the folder's sample.

    Raises:
        UsageError: there is none yet.
    """
    labels, queue = folder / "sample.labels.jsonl", folder / "sample.jsonl"
    if labels.exists():
        return labels
    if queue.exists():
        raise UsageError(
            f"nobody has labelled the sample yet. Label it: guardrail studio {queue}; or name the labels with --labels."
        )
    raise UsageError(
        f"{str(folder)!r} has no sample with labels. Draw one: guardrail audit sample {folder}, label it: guardrail "
        f"studio {queue}; or name the labels of another with --labels."
    )
