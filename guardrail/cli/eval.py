"""``guardrail eval``: how well the guard does on labelled answers."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from guardrail.cli.engines import EngineChoice, show_usage, warn_unjudged, why_unjudged, with_engine
from guardrail.cli.streams import progress_bar
from guardrail.errors import UsageError
from guardrail.evaluation.cases import Shared
from guardrail.evaluation.data.labelled import LabelledAnswer, select
from guardrail.evaluation.data.output import STANDARD_OUTPUT, refuse_unwritable, write_whole
from guardrail.evaluation.data.reading import Source, find_sources, read_source
from guardrail.evaluation.judged import judge
from guardrail.guard import Guard
from guardrail.policy.by_name import PRESET_OR_FILE, load_policy, policy_file
from guardrail.types import Usage

_PIPE_WIDTH = 160


@with_engine
def evaluate(
    data: Annotated[
        list[Path], typer.Argument(help="Labelled files or folders; docs/evaluation.md lists the formats.")
    ],
    limit: Annotated[
        int | None, typer.Option(help="At most so many rows of each file, drawn with a fixed seed.", min=1)
    ] = None,
    lang: Annotated[str | None, typer.Option(help="Only rows in this language, such as en or zh.")] = None,
    policy: Annotated[str, typer.Option(help=PRESET_OR_FILE)] = "monitor",
    *,
    engine: EngineChoice,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures here; '-' prints them instead of the tables.")
    ] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Write a page with plots here.")] = None,
    case: Annotated[
        Shared,
        typer.Option(
            help="What makes rows one case; intervals are over cases. passage: the same question or a shared passage. "
            "question: the question alone, if the questions are a plain sample and the passages stay as they are."
        ),
    ] = Shared.PASSAGE,
    resamples: Annotated[int, typer.Option(help="Bootstrap samples for the intervals; 0 for none.", min=0)] = 1000,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Measure the guard on labelled answers: accuracy, calibration, error types, languages, lengths, with intervals.

    Nothing is sent anywhere unless you name a model. Exit code 2 if a row or file could not be read; the rest is
    measured all the same.

    Example: guardrail eval answers.jsonl --limit 300 --html report.html
    """
    from guardrail.cli.tables import show  # numpy and the metrics load only where they are used
    from guardrail.evaluation.evaluate import evaluate as measure
    from guardrail.evaluation.page import render

    sources = _find(data)
    _refuse_outputs(json_file, html_file, policy, sources)
    rules = load_policy(policy)
    guard = Guard(policy=rules, engine=engine.build(rules))
    bad = _BadRows()
    answers = _read(sources, lang, limit, bad)
    with progress_bar("judging", len(answers), shown=not quiet and sys.stderr.isatty()) as tick:
        judged = judge(guard, answers, tick=tick, jobs=engine.at_once)
    show_usage(sum((one.report.usage for one in judged), Usage()), len(judged))
    warn_unjudged(Counter(why_unjudged(one.report) for one in judged))
    evaluation = measure(judged, rules, resamples=resamples, shared=case)
    if json_file is not None:
        text = json.dumps(asdict(evaluation), ensure_ascii=True, indent=1, allow_nan=False) + "\n"
        if str(json_file) == STANDARD_OUTPUT:
            typer.echo(text, nl=False)
        else:
            write_whole(json_file, text)
    if html_file is not None:
        write_whole(html_file, render(evaluation))
    if str(json_file) != STANDARD_OUTPUT:
        # A file or pipe has no width of its own.
        show(evaluation, Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH))
    if bad.count:
        typer.echo(f"{bad.count} rows or files could not be read and are not in the figures", err=True)
        raise typer.Exit(2)


class _BadRows:
    """Prints rows and files that could not be read, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, row: object) -> None:
        self.count += 1
        typer.echo(str(row), err=True)


def _find(data: Sequence[Path]) -> list[Source]:
    """The files of all paths, in order; one that is named twice is read once."""
    return list({source.path.resolve(): source for path in data for source in find_sources(path)}.values())


def _refuse_outputs(json_file: Path | None, html_file: Path | None, policy: str, sources: Sequence[Source]) -> None:
    outputs = [file for file in (json_file, html_file) if file is not None]
    if str(json_file) == STANDARD_OUTPUT:
        outputs = outputs[1:]
    read = [path for source in sources for path in (source.path, *source.beside)]
    if (rules := policy_file(policy)) is not None:
        read.append(rules)
    for number, target in enumerate(outputs):
        refuse_unwritable(target, read, others=outputs[:number])


def _read(sources: Sequence[Source], lang: str | None, limit: int | None, bad: _BadRows) -> list[LabelledAnswer]:
    """The chosen answers of all files; two files of one name are told apart by their folders."""
    chosen: list[LabelledAnswer] = []
    taken: set[str] = set()
    for source in sources:
        try:
            rows = [row for row in read_source(source, on_bad=bad) if lang in (None, row.lang)]
        except UsageError as error:
            if len(sources) == 1:
                raise
            bad(error)
            continue
        answers = select(rows, limit)
        names: dict[str, str] = {}
        for name in dict.fromkeys(answer.dataset for answer in answers):
            names[name] = next(other for other in _names(name, source.path) if other not in taken)
            taken.add(names[name])
        chosen.extend(replace(answer, dataset=names[answer.dataset]) for answer in answers)
    if not chosen:
        what = "no labelled answer could be read; see above" if lang is None else f"no answer is in {lang!r}"
        raise UsageError(f"{what}.")
    return chosen


def _names(name: str, path: Path) -> Iterator[str]:
    """The name, then with ever more of the file's folders before it, then numbered: ``x.json`` beside ``x.jsonl``."""
    yield name
    longer = name
    for folder in path.absolute().parents:
        if folder.name:
            longer = f"{folder.name}/{longer}"
            yield longer
    yield from (f"{name} ({number})" for number in count(2))
