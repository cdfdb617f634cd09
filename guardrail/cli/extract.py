"""``guardrail extract``: answers in, their claims out, one line each and in order."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from guardrail.check.answer_lines import Line, extract_record
from guardrail.cli.engines import EngineChoice, with_engine
from guardrail.cli.work import Done, finish, one_pass, work_through_items, work_through_lines, write_line
from guardrail.evaluation.data.refchecker import extracted, read_item
from guardrail.guard import Guard
from guardrail.policy.policy import Policy

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
    listed = output is ExtractFormat.REFCHECKER
    way = one_pass(file, out, engine, doing="extracting", whole=listed, strict=strict, quiet=quiet)
    if listed:
        finish(work_through_items(way, lambda raw: extract_item(guard, raw)), _BY_RULES)
    finish(work_through_lines(way, ("answer",), lambda line: _extract_line(guard, line), write_line), _BY_RULES)


def _extract_line(guard: Guard, line: Line) -> Done:
    if line.record is None:
        return Done(error=line.error or "")
    draft = guard.draft(line.record.answer, line.record.question)
    return Done(item=extract_record(line, draft), why=draft.reason or None, usage=draft.usage)


def extract_item(guard: Guard, raw: object) -> Done:
    """Take the response of one of RefChecker's items apart.

    Raises:
        UsageError: something in the item is wrong or missing.
    """
    item = read_item(raw)
    draft = guard.draft(item.response, item.question)
    return Done(item=extracted(item.raw, draft), why=draft.reason or None, usage=draft.usage)
