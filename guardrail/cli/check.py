"""``guardrail check``: answers in, reports out, one line each and in order."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from guardrail.cli.policies import load_policy
from guardrail.cli.progress import progress_bar
from guardrail.cli.show import show
from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.policy import Policy
from guardrail.records import ENCODING, Line, read_file, read_lines, result_record
from guardrail.types import Action

_UNPRINTABLE = "backslashreplace"
"""Characters that the output cannot hold (lone surrogates, or a terminal's narrow encoding) are written as escapes."""


class OutputFormat(StrEnum):
    """How results are printed."""

    JSONL = "jsonl"
    TEXT = "text"


def check(
    file: Annotated[
        Path | None,
        typer.Argument(help="JSONL, or .json with one record or a list; '-' or nothing reads standard input."),
    ] = None,
    policy: Annotated[str, typer.Option(help="monitor, annotate, repair, strict, or a policy file.")] = "monitor",
    engine: Annotated[str, typer.Option(help="Engine that judges: local.")] = "local",
    output: Annotated[
        OutputFormat, typer.Option("--format", help="jsonl for programs, text for people.")
    ] = OutputFormat.JSONL,
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
    guard = Guard(policy=_policy(policy, deadline), engine=engine)
    acted = wrong = total = 0
    _refuse_unreadable(file, out)
    shown = not quiet and sys.stderr.isatty()
    with _opened(out) as target, progress_bar("checking", _count(file) if shown else None, shown=shown) as tick:
        for line in _lines(file):
            total += 1
            try:
                done = _check_line(guard, line, target, output)
            except BrokenPipeError:  # the reader (head, less) has seen enough
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(128 + 13) from None
            if done is None:
                wrong += 1
                if strict:
                    raise UsageError(f"line {line.number} cannot be read. Stopped, as --strict asks.")
            elif done is not Action.ALLOW:
                acted += 1
            tick()
    if not total:
        typer.echo("no records in the input", err=True)
    raise typer.Exit(2 if wrong else 1 if acted else 0)


def _refuse_unreadable(file: Path | None, out: Path | None) -> None:
    """Before anything is written: an output must not empty its own input, nor be emptied for a missing one."""
    if file is None or str(file) == "-":
        return
    try:
        with file.open("rb"):
            pass
    except OSError as error:
        raise UsageError(f"cannot read {str(file)!r}: {error.strerror}.") from error
    if out is not None and out.exists() and out.samefile(file):
        raise UsageError(f"--out {str(out)!r} is the input itself. Name another file.")


def _policy(name: str, deadline: float | None) -> Policy:
    policy = load_policy(name)
    return policy if deadline is None else policy.with_(deadline=deadline)


def _check_line(guard: Guard, line: Line, target: TextIO, output: OutputFormat) -> Action | None:
    """Check and print one line; None if it could not be read (its error stands in the output in its place)."""
    error = line.error
    if line.record is not None:
        try:
            guarded = guard.run(line.record.answer, line.record.to_passages(), question=line.record.question)
        except UsageError as refused:
            error = str(refused)
        else:
            if output is OutputFormat.TEXT:
                show(guarded, target, title=str(line.ident if line.ident is not None else f"line {line.number}"))
            else:
                _write(target, result_record(line.ident, guarded))
            return guarded.action
    typer.echo(f"line {line.number}: {error}", err=True)
    if output is OutputFormat.JSONL:
        _write(target, {"id": line.ident, "line": line.number, "error": error})
    return None


def _write(target: TextIO, record: dict[str, object]) -> None:
    # ASCII escapes keep lone surrogates, which no UTF-8 stream can hold, and line separators inside one line.
    target.write(json.dumps(record, ensure_ascii=True) + "\n")
    target.flush()


def _lines(file: Path | None) -> Iterator[Line]:
    if file is not None and str(file) != "-":
        return read_file(file)
    if file is None and sys.stdin.isatty():
        raise UsageError("no input. Name a file, or pipe JSONL in; see `guardrail check --help`.")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(**ENCODING)
    return read_lines(sys.stdin)


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors=_UNPRINTABLE)
        yield sys.stdout
        return
    try:
        handle = out.open("w", encoding="utf-8", errors=_UNPRINTABLE)
    except OSError as error:
        raise UsageError(f"cannot write {str(out)!r}: {error.strerror}.") from error
    with handle:
        yield handle


def _count(file: Path | None) -> int | None:
    if file is None or not file.is_file() or file.suffix == ".json":
        return None
    with file.open("rb") as handle:
        return sum(1 for line in handle if line.strip())
