"""``guardrail audit``: millions of logged answers judged, and what came of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from guardrail.cli.audit_columns import read_columns
from guardrail.cli.audit_compare import compare
from guardrail.cli.audit_rate import rate, sample
from guardrail.cli.audit_report import SINCE, write
from guardrail.cli.audit_scores import scores
from guardrail.cli.engines import EngineChoice, with_engine
from guardrail.errors import UsageError
from guardrail.policy.by_name import PRESET_OR_FILE, load_policy

if TYPE_CHECKING:
    from guardrail.audit import Audited
    from guardrail.audit import Progress as Done

_SAY_EVERY = 30.0


class TextsKept(StrEnum):
    """Of which answers texts are kept: quotes, reasons, questions."""

    FAULTY = "faulty"
    ALL = "all"
    NONE = "none"


class _DefaultRun(typer.core.TyperGroup):
    """``guardrail audit SOURCE`` is ``guardrail audit run SOURCE``."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if args and args[0] not in (*self.commands, "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


audits = typer.Typer(
    cls=_DefaultRun,
    no_args_is_help=True,
    help="Audit millions of logged answers: how bad it was, where, and which documents cause it. "
    '`guardrail audit run --help` has the options. Example: guardrail audit "logs/*.parquet" --out audit',
)


@audits.command()
@with_engine
def run(
    source: Annotated[str, typer.Argument(help="Parquet or JSONL: a file, a folder, a glob, or s3://, gs://.")],
    out: Annotated[Path, typer.Option(help="Folder of the audit; to go on with one, name it again.")],
    policy: Annotated[str, typer.Option(help=PRESET_OR_FILE)] = "monitor",
    *,
    engine: EngineChoice,
    form: Annotated[str, typer.Option("--format", help="What the rows are; auto looks at the first.")] = "auto",
    column: Annotated[
        list[str] | None,
        typer.Option(help="NAME=COLUMN for id, question, answer, passages or at; a dot leads inside. Repeatable."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="LABEL=COLUMN (or COLUMN): cut the report by it, such as model or release. Repeatable."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; default: one per core. 0 = only this one.", min=0)
    ] = None,
    batch: Annotated[int, typer.Option(help="Answers that are judged and committed together.", min=1)] = 64,
    budget: Annotated[
        float | None,
        typer.Option(help="With --engine cascade: what the model may spend in all, where it buys most.", min=0.0),
    ] = None,
    pay_again: Annotated[
        bool,
        typer.Option("--pay-again", help="Judge again answers that had spent the requests that one answer may make."),
    ] = False,
    ray: Annotated[
        str | None, typer.Option(help="local, or the address of a Ray cluster; --workers are its actors then.")
    ] = None,
    texts: Annotated[TextsKept, typer.Option(help="Of which answers texts are kept.")] = TextsKept.FAULTY,
    since: SINCE = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on standard error.")] = False,
) -> None:
    """Judge all answers of SOURCE that were not judged yet. After Ctrl-C or a crash the same command goes on.

    Example: guardrail audit run "logs/*.parquet" --out audit --label model, or without the word run.
    """
    from guardrail.audit import audit

    columns = read_columns(column, label)
    first, second = _engines(engine, budget)
    with _shown(quiet=quiet) as tell:
        try:
            done = audit(
                source, out, policy=load_policy(policy), engine=first, second=second, budget=budget, form=form,
                columns=columns, workers=workers, batch=batch, at_once=engine.at_once, texts=texts.value, ray=ray,
                pay_again=pay_again, progress=tell,
            )  # fmt: skip
        except KeyboardInterrupt:
            typer.echo("stopped; what is judged is kept. The same command goes on.", err=True)
            raise typer.Exit(130) from None
    _sum_up(done)
    write(out, since=since)


@audits.command()
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of an audit.")],
    fingerprint: Annotated[
        str | None, typer.Option(help="Of engine and policy, or how it begins; default: those of the last run.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Labels of a sample, for the rate that they give (guardrail audit rate).")
    ] = None,
    design: Annotated[Path | None, typer.Option(help="Design of the sample; default: beside the labels.")] = None,
    since: SINCE = None,
) -> None:
    """Write report.html, report.md and tables/ anew.

    Example: guardrail audit report audit-july --labels audit-july/sample.labels.jsonl --since audit-june
    """
    from guardrail.audit.rate import corrected_rate

    write(folder, fingerprint, None if labels is None else corrected_rate(labels, design), since)


audits.command()(sample)
audits.command()(rate)
audits.command()(compare)
audits.command()(scores)


def _engines(choice: EngineChoice, budget: float | None) -> tuple[Any, Any]:
    """The engine for all answers, and the one that has a budget."""
    if budget is None:
        return (choice.build if choice.asks else choice.name), None
    if choice.name.partition(":")[0] != "cascade" or choice.price_in is None or choice.price_out is None:
        raise UsageError("--budget needs --engine cascade with --model, --price-in and --price-out.")
    return "local", lambda policy: choice.build(policy).second  # type: ignore[union-attr]


def _sum_up(done: Audited) -> None:
    rate = done.seen / done.seconds if done.seconds else 0.0
    parts = [f"{done.seen:,} rows in {_clock(done.seconds)} ({rate:,.1f} a second)", f"{done.judged:,} judged"]
    if done.same:
        parts.append(f"{done.same:,} with the verdict of another that says the same of the same passages")
    if done.again:
        parts.append(f"{done.again:,} already in the audit")
    if done.escalated:
        parts.append(f"{done.escalated:,} judged again by the model")
    if done.cost:
        parts.append(f"cost {done.cost:.4f}")
    typer.echo(", ".join(parts), err=True)
    if done.passing:
        typer.echo(
            f"{done.passing:,} answers could not be judged this time (out of time, or the engine failed); the same "
            "command judges them again",
            err=True,
        )
    if done.spent:
        typer.echo(
            f"{done.spent:,} answers could not be judged with the requests that one answer may make. They count as "
            "judged, for they were paid; --pay-again judges them again",
            err=True,
        )
    if done.rejected:
        typer.echo(f"{done.rejected:,} rows could not be audited: {done.folder}/rejected says why", err=True)
    if done.rejected and not done.written and not done.again:
        raise typer.Exit(2)


@contextmanager
def _shown(*, quiet: bool) -> Iterator[Callable[[Done], None] | None]:
    """What shows the progress: a bar in a terminal, else a line now and then."""
    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        last = time.monotonic()

        def say(done: Done) -> None:
            nonlocal last
            if time.monotonic() - last >= _SAY_EVERY:
                last = time.monotonic()
                typer.echo(_in_words(done), err=True)

        yield say
        return
    columns = (TextColumn("auditing"), BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda done: bar.update(task, completed=done.share or 0.0, description=_in_words(done))


def _in_words(done: Done) -> str:
    share = "" if done.share is None else f"{done.share:.1%}, "
    left = "" if done.seconds_left is None else f", {_clock(done.seconds_left)} left"
    bad = f", {done.rejected:,} rejected" if done.rejected else ""
    return f"{share}{done.seen:,} rows, {done.rate:,.1f} a second{left}{bad}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
