"""Files, or standard input and output, of the commands that work record by record, and their progress bar."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TextIO, TypeGuard

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from guardrail.check.answer_lines import ENCODING, Line, read_file, read_lines
from guardrail.errors import UsageError

_UNPRINTABLE = "backslashreplace"
"""Characters that the output cannot hold (lone surrogates, or a terminal's narrow encoding) are written as escapes."""


def is_file(file: Path | None) -> TypeGuard[Path]:
    """Whether a file is named; '-' and nothing stand for standard input."""
    return file is not None and str(file) != "-"


def refuse_unreadable(file: Path | None, out: Path | None) -> None:
    """Before anything is written: an output must not empty its own input, nor be emptied for a missing one."""
    if not is_file(file):
        return
    try:
        with file.open("rb"):
            pass
    except OSError as error:
        raise UsageError(f"cannot read {str(file)!r}: {error.strerror}.") from error
    if out is not None and out.exists() and out.samefile(file):
        raise UsageError(f"--out {str(out)!r} is the input itself. Name another file.")


def read_records(file: Path | None, needs: Collection[str]) -> Iterator[Line]:
    """Records of the file, else of standard input, one at a time."""
    return read_file(file, needs) if is_file(file) else read_lines(_standard_input(file), needs)


def read_whole(file: Path | None) -> str:
    """All of the file, else of standard input.

    Raises:
        UsageError: it cannot be read, or is not UTF-8.
    """
    name = repr(str(file)) if is_file(file) else "the standard input"
    try:
        if is_file(file):
            return file.read_text(encoding="utf-8-sig")
        return _standard_input(file).read().encode("utf-8", "surrogateescape").decode("utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 text: {error.reason} at byte {error.start}.") from error


def _standard_input(file: Path | None) -> TextIO:
    if file is None and sys.stdin.isatty():
        raise UsageError("no input. Name a file, or pipe records in; see --help.")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(**ENCODING)
    return sys.stdin


@contextmanager
def opened(out: Path | None) -> Iterator[TextIO]:
    """The file to write, else standard output. A reader that leaves early (head, less) ends the command quietly."""
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors=_UNPRINTABLE)
        try:
            yield sys.stdout
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(128 + 13) from None
        return
    try:
        handle = out.open("w", encoding="utf-8", errors=_UNPRINTABLE)
    except OSError as error:
        raise UsageError(f"cannot write {str(out)!r}: {error.strerror}.") from error
    with handle:
        yield handle


def write_record(target: TextIO, record: object) -> None:
    """One line of JSON."""
    # ASCII escapes keep lone surrogates, which no UTF-8 stream can hold, and line separators inside one line.
    target.write(json.dumps(record, ensure_ascii=True) + "\n")
    target.flush()


class JsonList:
    """Writes a JSON list item by item: what is there is a whole list, even where the work is broken off."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._written = 0

    def __enter__(self) -> Self:
        self._target.write("[")
        return self

    def __exit__(self, *error: object) -> None:
        if not isinstance(error[1], BrokenPipeError):
            self._target.write("\n]\n" if self._written else "]\n")
            self._target.flush()

    def write(self, item: object) -> None:
        """Append an item."""
        text = json.dumps(item, ensure_ascii=True, indent=2).replace("\n", "\n  ")
        self._target.write((",\n  " if self._written else "\n  ") + text)
        self._target.flush()
        self._written += 1


def count_lines(file: Path | None) -> int | None:
    """Records of a JSONL file, for a progress bar; None if that cannot be told."""
    if file is None or not file.is_file() or file.suffix == ".json":
        return None
    with file.open("rb") as handle:
        return sum(1 for line in handle if line.strip())


@contextmanager
def progress_bar(doing: str, total: int | None, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Gives a function to call after each of ``total`` answers (None: unknown); it does nothing if not ``shown``."""
    if not shown:
        yield lambda: None
        return
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=total)
        yield lambda: progress.advance(task)
