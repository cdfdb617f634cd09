"""A comparison as one HTML page, as JSON, and as lines for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from guardrail.audit.compare.comparison import Change, Comparison, Paired
from guardrail.audit.compare.side import Count, Side
from guardrail.audit.report.parts import Heading, Part, Table, Text
from guardrail.audit.report.written import as_html
from guardrail.evaluation.differences import Difference

_SHOWN = 40


def write_comparison(found: Comparison, folder: str | Path) -> None:
    """Write compare.html and compare.json."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    page = as_html(parts_of(found), "Two audits compared")
    (place / "compare.html").write_text(page, encoding="utf-8", errors="backslashreplace")
    (place / "compare.json").write_text(as_json(found) + "\n", encoding="utf-8")


def as_json(found: Comparison) -> str:
    """All figures; a count is [bad, judged]. Of the documents only those that are listed."""
    row = asdict(found)
    for name in ("first", "then"):
        side = row[name]
        row[name] = {k: str(side[k]) for k in ("folder", "fingerprint", "engine")}
        row[name] |= {"answers": side["answers"], "whole": side["whole"]}
    return json.dumps(row, indent=1)


def lines_of(found: Comparison) -> Iterator[str]:
    """What matters most."""
    for name, side in (("A", found.first), ("B", found.then)):
        yield f"{name}: {_share(side.whole)} of {side.whole[1]:,} judged answers are bad ({side.folder}, {side.engine})"
    if found.whole.difference is not None:
        yield f"B less A: {_points(found.whole.difference)}"
    if found.paired is not None:
        yield _paired(found.paired)
    for label, changes in found.slices.items():
        for change in _certain(changes):
            yield f"  {label} {change.name}: {_told(change)}"
    for change in _certain(found.errors):
        yield f"  {change.name}: {_told(change)}"
    for change in found.new_worst[:3]:
        yield f"  new among the worst documents: {change.name} ({change.then[0]:,} of {change.then[1]:,} bad)"


def parts_of(found: Comparison) -> Iterator[Part]:
    """The page, in order."""
    for name, side in (("A", found.first), ("B", found.then)):
        yield Text(_side(name, side))
    yield Heading("All answers")
    if found.whole.difference is None:
        yield Text("One of the audits has no answer that could be judged, so there is nothing to compare.")
        return
    yield _table("answers", [found.whole])
    if found.paired is None:
        yield Text("No answer is in both audits, so the interval is that of two groups.")
    else:
        yield Text(_paired(found.paired))
    yield Text(
        "B less A, in percentage points, with a 95 % interval. Of twenty differences that are none, one will look like "
        "one. The engines count here; a rate by labels is that of guardrail audit rate."
    )
    for label, changes in found.slices.items():
        yield Heading(f"By {label}")
        yield _table(label, changes)
    if found.errors:
        yield Heading("What kind of errors")
        yield _table("error type", found.errors)
    yield Heading("Documents with more bad answers than before")
    if found.documents:
        yield _table("document", found.documents)
    else:
        yield Text("None that chance does not explain.")
    if found.new_worst:
        yield Heading("New among the worst documents")
        yield _table("document", found.new_worst)


def changes_of(found: Comparison) -> Iterator[Part]:
    """What of a comparison belongs in the report of its second audit: what chance does not explain."""
    yield Heading("What changed since the last audit")
    yield Text(_side("A, the last audit,", found.first))
    yield Text(_side("B, this one,", found.then))
    if found.whole.difference is None:
        yield Text("One of the two has no answer that could be judged, so there is nothing to compare.")
        return
    yield _table("answers", [found.whole])
    if found.paired is not None:
        yield Text(_paired(found.paired))
    slices = [replace(c, name=f"{label} {c.name}") for label, some in found.slices.items() for c in _certain(some)]
    for title, what, some in (
        ("Where it changed", "slice", slices),
        ("Error types that changed", "error type", _certain(found.errors)),
        ("Documents with more bad answers than before", "document", found.documents),
        ("New among the worst documents", "document", found.new_worst),
    ):
        if some:
            yield Heading(title, 3)
            yield _table(what, some)
    yield Text(
        "B less A, in percentage points, with 95 % intervals, by the count of the engines. Listed is what chance alone "
        "hardly explains; of twenty differences that are none, one will look like one."
    )


def _certain(changes: Sequence[Change]) -> list[Change]:
    return [change for change in changes if change.difference is not None and change.difference.certain]


def _side(name: str, side: Side) -> str:
    return (
        f"{name} is {side.folder}: {side.answers:,} answers judged by {side.engine} (fingerprint {side.fingerprint})."
    )


def _paired(found: Paired) -> str:
    chance = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
    return (
        f"Of {found.answers:,} answers that are in both, {found.bad_first:,} are bad in A and {found.bad_then:,} in B: "
        f"{_points(found.difference)}; {found.only_first:,} are bad only in A, {found.only_then:,} only in B "
        f"(McNemar's test: {chance})."
    )


def _table(what: str, changes: Sequence[Change]) -> Table:
    rows = [
        (c.name, f"{c.first[0]:,} of {c.first[1]:,}", _share(c.first), f"{c.then[0]:,} of {c.then[1]:,}",
         _share(c.then), "–" if c.difference is None else _points(c.difference))
        for c in changes[:_SHOWN]
    ]  # fmt: skip
    return Table((what, "A: bad", "share", "B: bad", "share", "B less A"), rows)


def _told(change: Change) -> str:
    apart = "" if change.difference is None else f", {_points(change.difference)}"
    return f"{_share(change.first)} → {_share(change.then)}{apart}"


def _share(count: Count) -> str:
    return f"{count[0] / count[1]:.1%}" if count[1] else "–"


def _points(found: Difference) -> str:
    return f"{100 * found.value:+.1f} points (95 % interval {100 * found.low:+.1f} to {100 * found.high:+.1f})"
