"""``guardrail extract``: answers in, their claims out, one line each and in order."""

from __future__ import annotations

import sys
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from guardrail.check.contract import Draft
from guardrail.check.report_json import Line, extract_record
from guardrail.check.threads import in_order
from guardrail.cli.engines import EngineChoice, show_usage, warn_unjudged, with_engine
from guardrail.cli.progress import progress_bar
from guardrail.cli.refchecker import extract_item, work_through
from guardrail.cli.streams import count_lines, is_file, opened, read_records, refuse_unreadable, write_record
from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.policy.policy import Policy
from guardrail.types import Usage

_BY_RULES = "were not wholly taken apart by the model"


class ExtractFormat(StrEnum):
    """What is read and written."""

    JSONL = "jsonl"
    REFCHECKER = "refchecker"


@with_engine
def extract(
    file: Annotated[
        Path | None,
        typer.Argument(help="JSONL, or .json with one record or a list; '-' or nothing reads standard input."),
    ] = None,
    *,
    engine: EngineChoice,
    output: Annotated[
        ExtractFormat,
        typer.Option("--format", help="jsonl, or refchecker: its JSON list in, the same with triplets or claims out."),
    ] = ExtractFormat.JSONL,
    out: Annotated[Path | None, typer.Option(help="Write here instead of standard output.")] = None,
    deadline: Annotated[float | None, typer.Option(help="Seconds per answer; default: none.", min=0.001)] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first record that cannot be read.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Take answers apart: JSONL of {"id", "question", "answer"} in, {"id", "answer", "claims"} out.

    A claim is {"id", "text", "triplet", "span"}: triplets with a language model, the segments that are checked without.

    Example: guardrail extract answers.jsonl | guardrail check --claims > reports.jsonl
    """
    policy = Policy.monitor().with_(deadline=deadline)
    guard = Guard(policy=policy, engine=engine.build(policy))
    at_once = engine.at_once if is_file(file) or output is ExtractFormat.REFCHECKER else engine.jobs or 1
    refuse_unreadable(file, out)
    shown = not quiet and sys.stderr.isatty()
    if output is ExtractFormat.REFCHECKER:
        tally = work_through(
            file,
            out,
            lambda raw: extract_item(guard, raw),
            doing="extracting",
            jobs=at_once,
            strict=strict,
            shown=shown,
        )
        show_usage(tally.usage, tally.total)
        warn_unjudged(tally.whys, _BY_RULES)
        raise typer.Exit(2 if tally.wrong else 0)
    wrong = total = 0
    usage = Usage()
    whys: Counter[str | None] = Counter()
    with opened(out) as target, progress_bar("extracting", count_lines(file) if shown else None, shown=shown) as tick:
        lines = read_records(file, ("answer",))
        for line, draft in in_order(lambda line: (line, _extract_line(guard, line)), lines, at_once):
            total += 1
            if draft is None:
                wrong += 1
                typer.echo(f"line {line.number}: {line.error}", err=True)
                write_record(target, {"id": line.ident, "line": line.number, "error": line.error})
                if strict:
                    raise UsageError(f"line {line.number} cannot be read. Stopped, as --strict asks.")
            else:
                write_record(target, extract_record(line, draft))
                usage += draft.usage
                whys[draft.reason or None] += 1
            tick()
    show_usage(usage, total)
    warn_unjudged(whys, _BY_RULES)
    if not total:
        typer.echo("no records in the input", err=True)
    raise typer.Exit(2 if wrong else 0)


def _extract_line(guard: Guard, line: Line) -> Draft | None:
    return None if line.record is None else guard.draft(line.record.answer, line.record.question)
