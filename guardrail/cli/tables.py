"""An evaluation in the terminal: a table per data set, then one line per set and their mean."""

from __future__ import annotations

from collections.abc import Callable

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guardrail.evaluation.bootstrap import Estimate
from guardrail.evaluation.measures import Evaluation, Level, SetMeasures
from guardrail.evaluation.wording import (
    MISSING,
    SLICED,
    abstained_line,
    cases_line,
    coverage_line,
    interval,
    mixed_line,
    number,
    plain,
)
from guardrail.types import Verdict

_SUMMARY = (
    "balanced_accuracy",
    "best_balanced_accuracy",
    "auc",
    "overlap_auc",
    "f1",
    "recall_at_5",
    "calibration_error",
)
_SHORT = ("bal. acc.", "best", "AUC", "overlap", "F1", "found at 5 %", "ECE")


_ROOM = 120
"""Columns from which on the tables have room for intervals."""


def show(evaluation: Evaluation, console: Console) -> None:
    """Print all sets and the summary; a narrow terminal gets the figures without their intervals."""
    wide = console.width >= _ROOM
    shown = interval if wide else _value
    for measured in evaluation.sets:
        for level in measured.levels:
            _show_level(measured, level, shown, console)
        _show_notes(measured, console)
    console.print(_summary(evaluation, shown))
    console.print(
        f"engine {escape(evaluation.engine)}, policy {escape(evaluation.policy)}, threshold {evaluation.threshold:g}; "
        "best: at the threshold chosen on the same rows; "
        + (
            "brackets: 95 % bootstrap interval over cases" if wide else "intervals: in a wider window, --json or --html"
        ),
        style="dim",
    )


def _value(estimate: Estimate) -> str:
    return number(estimate.value)


def _table(title: str, first: str) -> Table:
    table = Table(title=escape(plain(title)), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column(first, overflow="fold")
    return table


def _show_level(measured: SetMeasures, level: Level, shown: Callable[[Estimate], str], console: Console) -> None:
    table = _table(f"{measured.name}: {level.level}", "")
    for name in ("rows", "bal. acc.", "AUC", "errors found", "false alarms", "type named", "not judged"):
        table.add_column(name, justify="right")
    figures = level.figures
    whole = (shown(figures[name]) for name in SLICED)
    table.add_row("all", str(level.n), *whole, "", str(level.not_judged), end_section=True)
    for kind in level.types:
        false = kind.name == Verdict.SUPPORTED.value
        shares = ("", shown(kind.flagged)) if false else (shown(kind.flagged), "")
        named = "" if kind.named is None else number(kind.named)
        table.add_row(escape(plain(kind.name)), str(kind.n), "", "", *shares, named, str(kind.not_judged))
    for part in (level.languages, level.lengths):
        table.add_section()
        for row in part:
            sliced = (shown(row.figures[name]) for name in SLICED)
            table.add_row(escape(plain(row.name)), str(row.n), *sliced, "", str(row.not_judged))
    console.print(table)
    console.print(f"{level.n} rows in {cases_line(level.cases)}", style="dim")
    console.print(
        f"  at the best threshold {number(level.best_threshold)}: {shown(figures['best_balanced_accuracy'])}   "
        f"F1 of errors {shown(figures['f1'])}   found at 5 % false alarms {shown(figures['recall_at_5'])}\n"
        f"  calibration error {shown(figures['calibration_error'])}   Brier {shown(figures['brier'])}   "
        f"AUC of word overlap {shown(figures['overlap_auc'])}\n"
        f"  accuracy on what is kept: {coverage_line(level)}",
        markup=False,
    )
    if level.called_abstained:
        console.print(f"  taken for answers that decline (counted as mistakes): {level.called_abstained}")


def _show_notes(measured: SetMeasures, console: Console) -> None:
    if measured.abstained:
        console.print(f"  answers that decline, seen as such: {abstained_line(measured)}")
    if measured.mixed is not None:
        console.print(f"  mixed-up namesakes: {mixed_line(measured.mixed)}", markup=False)
    console.print()


def _summary(evaluation: Evaluation, shown: Callable[[Estimate], str]) -> Table:
    table = _table("all data sets", "data set")
    for name in ("rows", *_SHORT, "not judged"):
        table.add_column(name, justify="right")
    for measured in evaluation.sets:
        if not measured.levels:
            table.add_row(escape(plain(measured.name)), str(measured.abstained), *[MISSING] * len(_SHORT), "0")
            continue
        level = measured.levels[0]
        figures = [shown(level.figures[name]) for name in _SUMMARY[:1]]
        figures += [number(level.figures[name].value) for name in _SUMMARY[1:]]
        table.add_row(escape(plain(measured.name)), str(level.n), *figures, str(level.not_judged))
    if len(evaluation.sets) > 1:
        table.add_section()
        table.add_row("mean", "", *(number(evaluation.mean[name]) for name in _SUMMARY), "")
    return table
