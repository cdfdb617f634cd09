"""Answers in, results out, one by one and in order: what ``guardrail check`` and ``guardrail extract`` share."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeVar

import typer

from guardrail.check.answer_lines import Line
from guardrail.check.contract import Gatherer
from guardrail.check.threads import in_order
from guardrail.cli.engines import EngineChoice, show_usage, warn_unjudged
from guardrail.cli.streams import (
    JsonList,
    count_lines,
    is_file,
    opened,
    progress_bar,
    read_records,
    read_whole,
    refuse_unreadable,
    write_record,
)
from guardrail.errors import UsageError
from guardrail.evaluation.data.refchecker import read_items
from guardrail.types import Action, Usage

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of one item: what to write, or why it could not be read; ``why`` the engine failed at it."""

    item: Any = None
    error: str = ""
    action: Action = Action.ALLOW
    why: str | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What came of a file."""

    total: int = 0
    acted: int = 0
    wrong: int = 0
    whys: Counter[str | None] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)

    def plus(self, done: Done) -> Tally:
        """With one item more."""
        return Tally(
            total=self.total + 1,
            acted=self.acted + (done.action is not Action.ALLOW),
            wrong=self.wrong + bool(done.error),
            whys=self.whys + Counter([done.why] * (not done.error)),
            usage=self.usage + done.usage,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """From which file (None: standard input) to which, and how it is worked through."""

    file: Path | None
    out: Path | None
    doing: str
    jobs: int
    strict: bool
    shown: bool
    gatherer: Gatherer | None = None


def one_pass(
    file: Path | None,
    out: Path | None,
    engine: EngineChoice,
    *,
    doing: str,
    whole: bool,
    strict: bool,
    quiet: bool,
    gatherer: Gatherer | None = None,
) -> Pass:
    """The pass that these options stand for; ``whole``: all items are read before the first result is written.

    ``gatherer`` makes the calls of all answers together.

    Raises:
        UsageError: the file cannot be read, or is the one to write.
    """
    refuse_unreadable(file, out)
    # A program at the other end of a pipe may wait for each result before it sends the next answer.
    jobs = engine.at_once if is_file(file) or whole else engine.jobs or 1
    shown = not quiet and sys.stderr.isatty()
    return Pass(file=file, out=out, doing=doing, jobs=jobs, strict=strict, shown=shown, gatherer=gatherer)


def work_through_lines(
    way: Pass, needs: Collection[str], work: Callable[[Line], Done], write: Callable[[TextIO, Line, Done], None]
) -> Tally:
    """Every record in, every result out."""
    with opened(way.out) as target:
        found = _work_through(
            read_records(way.file, needs),
            work,
            lambda line, done: write(target, line, done),
            lambda line, _: f"line {line.number}",
            way,
            count_lines(way.file) if way.shown else None,
        )
    if not found.total:
        typer.echo("no records in the input", err=True)
    return found


def write_line(target: TextIO, line: Line, done: Done) -> None:
    """A line of JSON; an error stands in its place."""
    write_record(target, {"id": line.ident, "line": line.number, "error": done.error} if done.error else done.item)


def work_through_items(way: Pass, work: Callable[[object], Done]) -> Tally:
    """Every item of RefChecker's JSON list in, every item out. One that is wrong gets the key ``error``.

    Raises:
        UsageError: the file is no list of items, cannot be read or written, or an item is wrong and ``strict``.
    """
    name = repr(str(way.file)) if is_file(way.file) else "the standard input"
    items = read_items(read_whole(way.file), name)

    def attempt(raw: object) -> Done:
        try:
            return work(raw)
        except UsageError as error:
            kept = raw if isinstance(raw, dict) else {}
            return Done(item=kept | {"error": str(error)}, error=str(error))

    with opened(way.out) as target, JsonList(target) as found:
        return _work_through(
            items, attempt, lambda _, done: found.write(done.item), lambda _, number: f"item {number}", way, len(items)
        )


def _work_through(
    items: Iterable[_Item],
    work: Callable[[_Item], Done],
    write: Callable[[_Item, Done], None],
    place: Callable[[_Item, int], str],
    way: Pass,
    total: int | None,
) -> Tally:
    tally = Tally()
    with progress_bar(way.doing, total, shown=way.shown) as tick:
        pairs = partial(_with_item, work)
        together = way.gatherer
        results = in_order(pairs, items, way.jobs) if together is None else together.in_order(pairs, items)
        for item, done in results:
            tally = tally.plus(done)
            write(item, done)
            if done.error:
                typer.echo(f"{place(item, tally.total)}: {done.error}", err=True)
                if way.strict:
                    raise UsageError(f"{place(item, tally.total)} cannot be read. Stopped, as --strict asks.")
            tick()
    return tally


def _with_item(work: Callable[[_Item], Done], item: _Item) -> tuple[_Item, Done]:
    return item, work(item)


def finish(tally: Tally, consequence: str = "could not be judged") -> NoReturn:
    """Say what it cost and what the engine failed at, and end the command with its exit code."""
    show_usage(tally.usage, tally.total)
    warn_unjudged(tally.whys, consequence)
    raise typer.Exit(2 if tally.wrong else 1 if tally.acted else 0)
