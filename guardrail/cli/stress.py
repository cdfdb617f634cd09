"""``guardrail stress``: what this guard catches of errors injected into answers from the user's own passages."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from guardrail.cli.engines import EngineChoice, show_usage, with_engine
from guardrail.cli.streams import progress_bar
from guardrail.errors import UsageError
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.output import STANDARD_OUTPUT, refuse_unwritable, write_whole
from guardrail.guard import Guard
from guardrail.policy.by_name import PRESET_OR_FILE, policy_file, read_policy
from guardrail.types import Usage

if TYPE_CHECKING:  # the rules and their word lists load only where they are used
    from guardrail.evaluation.stress.injection import RuleCount
    from guardrail.evaluation.stress.report import Outcome, StressReport

_LANGS = {"all": ("en", "zh"), "en": ("en",), "zh": ("zh",)}


@with_engine
def stress(
    passages: Annotated[
        Path,
        typer.Argument(help="JSONL of texts, {'text', 'title', 'id'} or {'passages'}; .txt or .md; or a folder."),
    ],
    per_type: Annotated[
        int, typer.Option(help="Answers of each error type; four times as many honest ones.", min=1)
    ] = 20,
    seed: Annotated[int, typer.Option(help="The same seed makes the same answers.")] = 0,
    lang: Annotated[str, typer.Option(help="Sentences to use: all, en or zh.")] = "all",
    policy: Annotated[str, typer.Option(help=PRESET_OR_FILE)] = "monitor",
    *,
    engine: EngineChoice,
    out: Annotated[
        Path | None, typer.Option(help="Write the labelled answers here for `guardrail eval`; '-' prints them.")
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Also run the guard when --out is given; without --out it always runs.")
    ] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="Only count what each rule makes of these passages; no guard runs.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Inject errors into answers made from your passages: which types are caught, how many true answers are flagged.

    Example: guardrail stress docs/ --per-type 20 --policy strict
    """
    from guardrail.evaluation.data.passages import read_sources
    from guardrail.evaluation.stress.injection import count_rules, inject
    from guardrail.evaluation.stress.report import examine, summarise

    if lang not in _LANGS:
        raise UsageError(f"--lang {lang!r} is unknown. Known: {', '.join(_LANGS)}.")
    if rules:
        show_rules(count_rules(read_sources(passages), seed=seed, langs=_LANGS[lang]), as_json=as_json)
        return
    if out is not None:
        _refuse_output(out, passages, policy, report=report)
    patient = read_policy(policy).with_(deadline=None)
    guard = Guard(policy=patient, engine=engine.build(patient))
    answers = list(inject(read_sources(passages), seed=seed, per_type=per_type, langs=_LANGS[lang]))
    if not answers:
        raise UsageError(f"no sentence of {str(passages)!r} could be used. Passages of plain sentences are needed.")
    if str(out) == STANDARD_OUTPUT:
        typer.echo(_lines(answers), nl=False)
        return
    if out is not None:
        write_whole(out, _lines(answers))
    if out is not None and not report:
        typer.echo(json.dumps({"answers": len(answers)}) if as_json else f"{len(answers)} answers written to {out}")
        return
    with progress_bar("checking", len(answers), shown=not quiet and sys.stderr.isatty()) as tick:
        outcomes = list(_each(examine(guard, answers, jobs=engine.at_once), tick))
    found = summarise(outcomes, guard)
    show_usage(sum((outcome.usage for outcome in outcomes), Usage()), len(outcomes))
    if as_json:
        typer.echo(json.dumps(as_record(found)))
    else:
        show(found, Console(highlight=False))


def _refuse_output(out: Path, passages: Path, policy: str, *, report: bool) -> None:
    from guardrail.evaluation.data.passages import SUFFIXES, find_files

    if str(out) == STANDARD_OUTPUT:
        if report:
            raise UsageError("--out '-' prints the answers, so there is no room for --report. Name a file for --out.")
        return
    rules = policy_file(policy)
    refuse_unwritable(out, [*find_files(passages), *([] if rules is None else [rules])])
    if passages.is_dir() and out.name.endswith(SUFFIXES) and out.resolve().is_relative_to(passages.resolve()):
        raise UsageError(f"--out {str(out)!r} lies among the passages: they would be read from it next time. Move it.")


def _lines(answers: Sequence[LabelledAnswer]) -> str:
    return "".join(json.dumps(record(answer), ensure_ascii=True) + "\n" for answer in answers)


def record(answer: LabelledAnswer) -> dict[str, object]:
    """One labelled answer as a line that ``guardrail check`` and ``guardrail eval`` read."""
    return {
        "id": answer.id,
        "answer": answer.answer,
        "passages": [asdict(passage) for passage in answer.passages],
        "label": answer.label.value,
        "error_type": None if answer.error_type is None else answer.error_type.value,
        "error_spans": [list(span) for span in answer.error_spans],
        "evidence": [[number, list(span)] for number, span in answer.evidence],
        "mixed": answer.mixed,
        "lang": answer.lang,
        "group": answer.group,
    }


def as_record(found: StressReport) -> dict[str, object]:
    """The report as JSON; shares are of the answers made (caught) and of those caught (placed, named)."""
    rate = found.alarms / found.honest if found.honest else None
    return {
        "types": {
            result.error_type.value: {
                "made": result.made,
                "caught": result.caught,
                "unverified": result.unverified,
                "placed": result.placed,
                "named": result.named,
            }
            for result in found.types
        },
        "honest": {
            "made": found.honest,
            "alarms": found.alarms,
            "unverified": found.honest_unverified,
            "false_alarm_rate": rate,
            "interval_95": found.interval,
        },
        "missing": [kind.value for kind in found.missing],
        "policy": found.policy,
        "engine": found.engine,
    }


def show(found: StressReport, console: Console) -> None:
    """Print a table of the types, the false-alarm rate, and what the corpus did not allow."""
    table = Table(box=box.SIMPLE_HEAD, title="injected errors", title_justify="left")
    table.add_column("error type", no_wrap=True)
    for name in ("made", "caught", "in place", "type right", "not judged"):
        table.add_column(name, justify="right")
    for result in found.types:
        if result.made:
            shares = (
                _share(result.caught, result.made),
                _share(result.placed, result.caught),
                _share(result.named, result.caught),
            )
            table.add_row(result.error_type.value, str(result.made), *shares, str(result.unverified or "–"))
    made, caught = sum(r.made for r in found.types), sum(r.caught for r in found.types)
    table.add_section()
    table.add_row("all", str(made), _share(caught, made), "", "", str(sum(r.unverified for r in found.types) or "–"))
    console.print(table)
    if found.interval is not None:
        low, high = found.interval
        console.print(
            f"false alarms: {found.alarms} of {found.honest} honest answers, {found.alarms / found.honest:.1%} "
            f"(95 % interval {low:.1%} to {high:.1%}); not judged: {found.honest_unverified}"
        )
    else:
        console.print("false alarms: no honest answer could be made from this corpus")
    if found.missing:
        names = ", ".join(kind.value for kind in found.missing)
        console.print(f"not made, since no sentence of this corpus allows a sure one: {names}")
    console.print(f"policy {found.policy}, engine {found.engine}", style="dim")


def show_rules(counts: Sequence[RuleCount], *, as_json: bool) -> None:
    """Print how many answers each rule makes: all types get as many answers, so shares are of a type."""
    if as_json:
        typer.echo(json.dumps([asdict(count) for count in counts]))
        return
    table = Table(box=box.SIMPLE_HEAD, title="answers per rule, and their share of the type", title_justify="left")
    for name in ("error type", "rule"):
        table.add_column(name, no_wrap=True)
    for name in ("possible", "made", "share"):
        table.add_column(name, justify="right")
    for count in counts:
        table.add_row(
            count.error_type.value, count.rule, str(count.sentences), str(count.answers), f"{count.share:.1%}"
        )
    Console(highlight=False).print(table)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%} ({part})" if whole else "–"


def _each(outcomes: Iterable[Outcome], tick: Callable[[], None]) -> Iterator[Outcome]:
    for outcome in outcomes:
        yield outcome
        tick()
