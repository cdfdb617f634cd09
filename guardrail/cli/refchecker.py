"""``guardrail extract`` and ``check`` on RefChecker's files: its ``extract``, ``check`` and ``extract-check``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from guardrail.check.threads import in_order
from guardrail.cli.engines import why_unjudged
from guardrail.cli.progress import progress_bar
from guardrail.cli.streams import JsonList, is_file, opened, read_whole
from guardrail.errors import UsageError
from guardrail.evaluation.data.refchecker import Aggregator, checked, extracted, read_item, read_items
from guardrail.guard import Guard
from guardrail.types import Action, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of one item: the item to write, or why it could not be read; ``why`` the engine failed at it."""

    item: dict[str, Any]
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


def check_item(guard: Guard, raw: object, aggregator: Aggregator, *, needs_claims: bool) -> Done:
    """Check an item; one without claims is taken apart first, and deadline and call budget count for each of the two.

    Raises:
        UsageError: something in the item is wrong or missing.
    """
    item = read_item(raw)
    if item.references is None and guard.retriever is None:
        raise UsageError("has no 'reference'; give it one, or name documents with --retriever FOLDER")
    if item.claims is None and needs_claims:
        raise UsageError("has no 'claims' or 'triplets'; run `guardrail extract`, or leave out --claims")
    claims, out, spent = item.claims, item.raw, Usage()
    if claims is None:
        draft = guard.draft(item.response, item.question)
        out, spent = extracted(item.raw, draft), draft.usage
        claims = tuple(claim for segment in draft.parts.segments for claim in segment.claims)
    guarded = guard.run(item.response, item.references or (), question=item.question, claims=claims)
    report = guarded.report
    return Done(
        item=checked(out, report, aggregator),
        action=guarded.action,
        why=why_unjudged(report),
        usage=spent + report.usage,
    )


def extract_item(guard: Guard, raw: object) -> Done:
    """Take the response of an item apart. Raises as ``check_item`` does."""
    item = read_item(raw)
    draft = guard.draft(item.response, item.question)
    return Done(item=extracted(item.raw, draft), why=draft.reason or None, usage=draft.usage)


def work_through(
    file: Path | None,
    out: Path | None,
    work: Callable[[object], Done],
    *,
    doing: str,
    jobs: int,
    strict: bool,
    shown: bool,
) -> Tally:
    """Every item in, every item out, in order. One that is wrong keeps its place and gets the key ``error``.

    Raises:
        UsageError: the file is no list of items, cannot be read or written, or an item is wrong and ``strict``.
    """
    name = repr(str(file)) if is_file(file) else "the standard input"
    items = read_items(read_whole(file), name)
    tally = Tally()

    def attempt(raw: object) -> Done:
        try:
            return work(raw)
        except UsageError as error:
            kept = raw if isinstance(raw, dict) else {}
            return Done(item=kept | {"error": str(error)}, error=str(error))

    with opened(out) as target, JsonList(target) as found, progress_bar(doing, len(items), shown=shown) as tick:
        for number, done in enumerate(in_order(attempt, items, jobs), 1):
            found.write(done.item)
            if done.error:
                typer.echo(f"item {number}: {done.error}", err=True)
                if strict:
                    raise UsageError(f"item {number} cannot be read. Stopped, as --strict asks.")
            tally = Tally(
                total=number,
                acted=tally.acted + (done.action is not Action.ALLOW),
                wrong=tally.wrong + bool(done.error),
                whys=tally.whys + Counter([done.why] * (not done.error)),
                usage=tally.usage + done.usage,
            )
            tick()
    return tally
