"""Figures as people read them, the same in the terminal and on the page."""

from __future__ import annotations

from guardrail.evaluation.bootstrap import Estimate
from guardrail.evaluation.measures import Level, Mixed, SetMeasures

MISSING = "–"

TITLES = {
    "balanced_accuracy": "balanced accuracy",
    "best_balanced_accuracy": "at best threshold",
    "auc": "AUC",
    "overlap_auc": "overlap AUC",
    "f1": "F1 of errors",
    "error_recall": "errors found",
    "false_alarm_rate": "false alarms",
    "recall_at_5": "found at 5 % false alarms",
    "calibration_error": "calibration error",
    "brier": "Brier",
}
"""Names of the figures for people, in the order of the tables."""

SLICED = ("balanced_accuracy", "auc", "error_recall", "false_alarm_rate")
"""The figures shown per language and length."""


def plain(text: str) -> str:
    """A name out of somebody's data, safe to print: what is not printable (escapes, lone surrogates) becomes "�"."""
    return "".join(character if character.isprintable() else "�" for character in text)


def number(value: float | None) -> str:
    """Two decimals, or a dash."""
    return MISSING if value is None else f"{value:.2f}"


def interval(estimate: Estimate) -> str:
    """Value with its 95 % interval in brackets."""
    if estimate.low is None or estimate.high is None:
        return number(estimate.value)
    return f"{number(estimate.value)} [{number(estimate.low)}, {number(estimate.high)}]"


def coverage_line(level: Level) -> str:
    """Accuracy on what is kept, at each coverage."""
    return ", ".join(f"{c.accuracy:.2f} at {round(100 * c.coverage)} %" for c in level.coverage)


def cases_line(cases: int) -> str:
    """How many cases there are; one alone has no intervals."""
    return f"{cases} cases" if cases != 1 else "1 case: all share passages, so there are no intervals (--case question)"


def abstained_line(measured: SetMeasures) -> str:
    """How many of the answers that decline were seen as such."""
    return f"{measured.abstained_found} of {measured.abstained}"


def mixed_line(mixed: Mixed) -> str:
    """Detection of mixed-up namesakes, and how often it is said of ordinary supported answers."""
    parts = []
    if mixed.n:
        figures = f"precision {number(mixed.precision)}, recall {number(mixed.recall)}, F1 {number(mixed.f1)}"
        parts.append(f"{figures} (n {mixed.n})")
    if mixed.false_rate is not None:
        parts.append(f"said of {mixed.false_rate:.3f} of ordinary supported answers")
    return "; ".join(parts)
