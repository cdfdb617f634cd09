"""``guardrail check``: answers in, reports out, one line each and in order."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from guardrail.check.answer_lines import TO_CHECK, Line
from guardrail.check.contract import gatherer_of
from guardrail.check.retrieve import Retriever
from guardrail.cli.batches import batch_settings
from guardrail.cli.engines import EngineChoice, why_unjudged, with_engine
from guardrail.cli.show import show
from guardrail.cli.work import Done, finish, one_pass, work_through_items, work_through_lines, write_line
from guardrail.errors import UsageError
from guardrail.evaluation.data.refchecker import Aggregator, checked, extracted, read_item
from guardrail.guard import Guard
from guardrail.policy.by_name import PRESET_OR_FILE, load_policy
from guardrail.policy.policy import Policy
from guardrail.types import Usage
from guardrail.types.report_json import result_record


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
    policy: Annotated[str, typer.Option(help=PRESET_OR_FILE)] = "monitor",
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
    batch: Annotated[
        bool,
        typer.Option(
            "--batch", help="Ask the provider's batch endpoint: half the price, minutes to hours (llm, cascade)."
        ),
    ] = False,
    batch_state: Annotated[
        Path | None,
        typer.Option(help="File with which a second start goes on after a stop; default: the answers' name + .batch."),
    ] = None,
    batch_poll: Annotated[
        float | None, typer.Option(help="Seconds between two looks at a batch at most; default: 60.", min=0.01)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first line that cannot be read.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Check answers: JSONL of {"id", "question", "answer", "passages"}; a passage is a text or {"id", "title", "text"}.

    Example: guardrail check answers.jsonl --policy strict > reports.jsonl
    """
    if aggregator is not None and output is not OutputFormat.REFCHECKER:
        raise UsageError("--aggregator applies to --format refchecker.")
    if batch and deadline is not None:
        raise UsageError("--deadline cannot bound a batch. Leave it out.")
    rules = _policy(policy, deadline)
    batches = None
    if batch:
        batches = batch_settings(file, batch_state, batch_poll, at_once=engine.at_once)
        rules = rules.with_(deadline=None)  # a deadline is for somebody who waits for one answer
    elif batch_state is not None:
        raise UsageError("--batch-state applies to --batch. Add it, or leave --batch-state out.")
    elif batch_poll is not None:
        raise UsageError("--batch-poll applies to --batch. Add it, or leave --batch-poll out.")
    guard = Guard(policy=rules, engine=engine.build(rules, batches), retriever=_retriever(retriever))
    listed = output is OutputFormat.REFCHECKER
    way = one_pass(
        file,
        out,
        engine,
        doing="checking",
        whole=listed,
        strict=strict,
        quiet=quiet,
        gatherer=gatherer_of(guard.judge),
    )
    if listed:
        how = aggregator or Aggregator.SOFT
        finish(work_through_items(way, lambda raw: check_item(guard, raw, how, needs_claims=claims)))
    needs = [key for key in TO_CHECK if key != "passages" or retriever is None] + ["claims"] * claims
    write = _show_line if output is OutputFormat.TEXT else write_line
    finish(work_through_lines(way, needs, lambda line: _check_line(guard, line, output), write))


def _retriever(folder: Path | None) -> Retriever | None:
    if folder is None:
        return None
    from guardrail.retrieval.bm25 import BM25Retriever  # an optional package, loaded only where it is used

    return BM25Retriever(folder)


def _policy(name: str, deadline: float | None) -> Policy:
    policy = load_policy(name)
    return policy if deadline is None else policy.with_(deadline=deadline)


def _check_line(guard: Guard, line: Line, output: OutputFormat) -> Done:
    if line.record is None:
        return Done(error=line.error or "")
    try:
        guarded = guard.run(
            line.record.answer,
            line.record.to_passages(),
            question=line.record.question,
            claims=line.record.to_claims(),
        )
    except UsageError as refused:
        return Done(error=str(refused))
    return Done(
        item=guarded if output is OutputFormat.TEXT else result_record(line.ident, guarded),
        action=guarded.action,
        why=why_unjudged(guarded.report),
        usage=guarded.report.usage,
    )


def _show_line(target: TextIO, line: Line, done: Done) -> None:
    if not done.error:
        show(done.item, target, title=str(line.ident if line.ident is not None else f"line {line.number}"))


def check_item(guard: Guard, raw: object, aggregator: Aggregator, *, needs_claims: bool) -> Done:
    """Check one of RefChecker's items; one without claims is taken apart first.

    Deadline and call budget count for each of the two steps.

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
