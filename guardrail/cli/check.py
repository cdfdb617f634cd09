"""``guardrail check``: answers in, reports out, one line each and in order."""

from __future__ import annotations

import sys
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from guardrail.check.report_json import TO_CHECK, Line, result_record
from guardrail.check.retriever import Retriever
from guardrail.check.threads import in_order
from guardrail.cli.engines import EngineChoice, show_usage, warn_unjudged, why_unjudged, with_engine
from guardrail.cli.policies import load_policy
from guardrail.cli.progress import progress_bar
from guardrail.cli.refchecker import check_item, work_through
from guardrail.cli.show import show
from guardrail.cli.streams import count_lines, is_file, opened, read_records, refuse_unreadable, write_record
from guardrail.errors import UsageError
from guardrail.evaluation.data.refchecker import Aggregator
from guardrail.guard import Guard
from guardrail.policy.policy import Policy
from guardrail.types import Action, GuardedAnswer, Usage


class OutputFormat(StrEnum):
    """How results are printed."""

    JSONL = "jsonl"
    TEXT = "text"
    REFCHECKER = "refchecker"


@with_engine
def check(
    file: Annotated[
        Path | None,
        typer.Argument(help="JSONL, or .json with one record or a list; '-' or nothing reads standard input."),
    ] = None,
    policy: Annotated[str, typer.Option(help="monitor, annotate, repair, strict, or a policy file.")] = "monitor",
    *,
    engine: EngineChoice,
    output: Annotated[
        OutputFormat,
        typer.Option(
            "--format",
            help="jsonl for programs, text for people; refchecker: its JSON list in, the same with its labels out.",
        ),
    ] = OutputFormat.JSONL,
    claims: Annotated[
        bool,
        typer.Option("--claims", help="Check the claims that the records hold, as `guardrail extract` writes them."),
    ] = False,
    aggregator: Annotated[
        Aggregator | None,
        typer.Option(help="How --format refchecker sums up the labels of claims; default: soft."),
    ] = None,
    retriever: Annotated[
        Path | None,
        typer.Option(help="Folder of .txt, .md and .jsonl documents for answers that come without passages."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write here instead of standard output.")] = None,
    deadline: Annotated[
        float | None, typer.Option(help="Seconds per answer; default: the policy file's, none for a preset.", min=0.001)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first line that cannot be read.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Check answers: JSONL of {"id", "question", "answer", "passages"}; a passage is a text or {"id", "title", "text"}.

    Example: guardrail check answers.jsonl --policy strict > reports.jsonl
    """
    if aggregator is not None and output is not OutputFormat.REFCHECKER:
        raise UsageError("--aggregator applies to --format refchecker.")
    rules = _policy(policy, deadline)
    guard = Guard(policy=rules, engine=engine.build(rules), retriever=_retriever(retriever))
    acted = wrong = total = 0
    usage = Usage()
    whys: Counter[str | None] = Counter()
    # A program at the other end of a pipe may wait for each report before it sends the next answer.
    at_once = engine.at_once if is_file(file) or output is OutputFormat.REFCHECKER else engine.jobs or 1
    refuse_unreadable(file, out)
    shown = not quiet and sys.stderr.isatty()
    if output is OutputFormat.REFCHECKER:
        tally = work_through(
            file,
            out,
            lambda raw: check_item(guard, raw, aggregator or Aggregator.SOFT, needs_claims=claims),
            doing="checking",
            jobs=at_once,
            strict=strict,
            shown=shown,
        )
        show_usage(tally.usage, tally.total)
        warn_unjudged(tally.whys)
        raise typer.Exit(2 if tally.wrong else 1 if tally.acted else 0)
    needs = [key for key in TO_CHECK if key != "passages" or retriever is None] + ["claims"] * claims
    with opened(out) as target, progress_bar("checking", count_lines(file) if shown else None, shown=shown) as tick:
        lines = read_records(file, needs)
        for line, found in in_order(lambda line: (line, _check_line(guard, line)), lines, at_once):
            total += 1
            done = _print_line(line, found, target, output)
            if done is None:
                wrong += 1
                if strict:
                    raise UsageError(f"line {line.number} cannot be read. Stopped, as --strict asks.")
            elif done is not Action.ALLOW:
                acted += 1
            if isinstance(found, GuardedAnswer):
                usage += found.report.usage
                whys[why_unjudged(found.report)] += 1
            tick()
    show_usage(usage, total)
    warn_unjudged(whys)
    if not total:
        typer.echo("no records in the input", err=True)
    raise typer.Exit(2 if wrong else 1 if acted else 0)


def _retriever(folder: Path | None) -> Retriever | None:
    if folder is None:
        return None
    from guardrail.retrieval.bm25 import BM25Retriever  # an optional package, loaded only where it is used

    return BM25Retriever(folder)


def _policy(name: str, deadline: float | None) -> Policy:
    policy = load_policy(name)
    return policy if deadline is None else policy.with_(deadline=deadline)


def _check_line(guard: Guard, line: Line) -> GuardedAnswer | str:
    """What came of one line; the error if it could not be read."""
    if line.record is None:
        return line.error or ""
    try:
        return guard.run(
            line.record.answer,
            line.record.to_passages(),
            question=line.record.question,
            claims=line.record.to_claims(),
        )
    except UsageError as refused:
        return str(refused)


def _print_line(line: Line, found: GuardedAnswer | str, target: TextIO, output: OutputFormat) -> Action | None:
    """Print what came of one line; None if that was an error, which stands in the output in its place."""
    if isinstance(found, GuardedAnswer):
        if output is OutputFormat.TEXT:
            show(found, target, title=str(line.ident if line.ident is not None else f"line {line.number}"))
        else:
            write_record(target, result_record(line.ident, found))
        return found.action
    typer.echo(f"line {line.number}: {found}", err=True)
    if output is OutputFormat.JSONL:
        write_record(target, {"id": line.ident, "line": line.number, "error": found})
    return None
