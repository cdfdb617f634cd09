"""The evaluation as one HTML page: no script, nothing from elsewhere, light or dark as the reader's system is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from guardrail.evaluation import plots
from guardrail.evaluation.measures import Evaluation, Level, SetMeasures, Slice, TypeShare
from guardrail.evaluation.wording import (
    SLICED,
    TITLES,
    abstained_line,
    coverage_line,
    interval,
    mixed_line,
    number,
    plain,
)

_RELIABILITY = (
    "How to read it: each dot holds about a tenth of the judged rows, from the lowest scores to the highest; a larger "
    "dot holds more. On the diagonal a score of 0.8 means that 8 of 10 are supported. Below it the scores promise too "
    "much, above it too little."
)
_ROC = (
    "How to read it: every point is a threshold. Higher is more errors found, further right is more false alarms. The "
    "dot is the shipped threshold, the line at the left is 5 % false alarms, the dashed curve is word overlap alone. "
    "The diagonal is chance."
)
_BARS = (
    "How to read it: the share of answers of each kind that is flagged, with its 95 % interval. The first bar and the "
    "dashed line are supported answers flagged wrongly: a bar that does not pass the line finds no more than chance. "
    f"At most the {plots.MAX_BARS} most frequent kinds are drawn."
)


def render(evaluation: Evaluation) -> str:
    """The page."""
    style = files("guardrail.evaluation").joinpath("page.css").read_text(encoding="utf-8")
    sections = "".join(_section(measured) for measured in evaluation.sets)
    subject = f"engine {evaluation.engine}, policy {evaluation.policy}, threshold {evaluation.threshold:g}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>guardrail eval</title><style>{style}</style></head><body><main>"
        f"<h1>Evaluation</h1><p>{escape(subject)}. Errors are all labels but supported. Brackets hold 95 % bootstrap "
        "intervals over groups of rows that share a question or passages. The best threshold was chosen on the same "
        f"rows, so it flatters.</p>{_summary(evaluation)}{sections}</main></body></html>\n"
    )


def _summary(evaluation: Evaluation) -> str:
    rows = [
        [measured.name, level.level, f"{level.n}", *(interval(level.figures[f]) for f in TITLES), f"{level.not_judged}"]
        for measured in evaluation.sets
        for level in measured.levels
    ]
    if len(evaluation.sets) > 1:
        rows.append(["mean", "first of each set", "", *(number(evaluation.mean[f]) for f in TITLES), ""])
    return _table(["data set", "level", "rows", *TITLES.values(), "not judged"], rows)


def _section(measured: SetMeasures) -> str:
    notes = []
    if measured.abstained:
        notes.append(f"Answers that decline, seen as such: {abstained_line(measured)}.")
    if measured.mixed is not None:
        notes.append(f"Mixed-up namesakes: {mixed_line(measured.mixed)}.")
    lines = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<section><h2>{escape(plain(measured.name))}</h2>{lines}{''.join(map(_level, measured.levels))}</section>"


def _level(level: Level) -> str:
    wrong = level.n - level.supported
    best = number(level.best_threshold)
    text = (
        f"{level.n} rows: {level.supported} supported, {wrong} with errors. Best threshold {best}. Not judged: "
        f"{level.not_judged}; taken for declining: {level.called_abstained}. Accuracy on the rest when the unsurest "
        f"are handed on: {coverage_line(level)}."
    )
    figures = [_figure(plots.reliability(level.calibration), _RELIABILITY)] if level.calibration else []
    if level.roc:
        figures.append(_figure(plots.roc(level), _ROC))
    if level.types:
        figures.append(_figure(plots.bars(level.types), _BARS))
    tables = [_types(level.types)] if level.types else []
    tables += [_slices(name, part) for name, part in (("language", level.languages), ("length", level.lengths)) if part]
    return (
        f"<h3>{escape(level.level)}</h3><p>{escape(text)}</p>"
        f'<div class="plots">{"".join(figures)}</div>{"".join(tables)}'
    )


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _types(types: Sequence[TypeShare]) -> str:
    rows = [[t.name, f"{t.n}", interval(t.flagged), number(t.named), f"{t.not_judged}"] for t in types]
    return _table(["error type", "rows", "flagged", "type named right", "not judged"], rows)


def _slices(name: str, slices: Sequence[Slice]) -> str:
    rows = [[s.name, f"{s.n}", *(interval(s.figures[f]) for f in SLICED), f"{s.not_judged}"] for s in slices]
    return _table([name, "rows", *(TITLES[f] for f in SLICED), "not judged"], rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(plain(cell))}</th>' for cell in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(plain(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
