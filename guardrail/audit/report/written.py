"""The report's files: report.html, report.md, and tables in Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail.audit.folder import AuditFolder
from guardrail.audit.report.figures import Figures, Rate, figures_of
from guardrail.audit.report.parts import Heading, Part, Table, Text, parts_of
from guardrail.audit.report.views import chosen_fingerprint, views

if TYPE_CHECKING:
    from guardrail.audit.rate.corrected import Corrected

_TITLE = "Audit of logged answers"
_MARKED = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def write_report(
    out: str | Path,
    fingerprint: str | None = None,
    corrected: Corrected | None = None,
    changes: Iterable[Part] = (),
) -> Figures:
    """Write report.html, report.md and tables/ of an audit, and return what they say.

    Args:
        out: The folder of the audit.
        fingerprint: Of the engine and policy whose verdicts count, or how it begins; None = those of the last run.
        corrected: The rate by labels of a sample, to stand before the engine's own count.
        changes: What to say of the audit before: guardrail.audit.compare.changes_of.

    Raises:
        UsageError: there is no audit, or none of that fingerprint.
        MissingExtraError: the extra ``audit`` is not installed.
    """
    with AuditFolder(out) as folder:
        chosen = chosen_fingerprint(folder, fingerprint)
        engine = f"{folder.fingerprints()[chosen]} (fingerprint {chosen})"
        with views(folder, chosen) as connection:
            figures = figures_of(connection)
        parts = list(parts_of(figures, engine, corrected, changes))
        _write(folder.path / "report.html", as_html(parts))
        _write(folder.path / "report.md", as_markdown(parts))
        _write_tables(folder.path / "tables", figures)
    return figures


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def as_html(parts: Iterable[Part], title: str = _TITLE) -> str:
    """One page: no script, nothing from elsewhere, all text escaped."""
    style = files("guardrail.evaluation").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{style}</style></head><body><main><h1>{title}</h1>"
        f"{''.join(map(_html, parts))}</main></body></html>\n"
    )


def _html(part: Part) -> str:
    match part:
        case Heading():
            return f"<h{part.level}>{escape(part.text)}</h{part.level}>"
        case Text(quote=True):
            return f"<blockquote><p>{escape(part.text)}</p></blockquote>"
        case Text():
            return f"<p>{escape(part.text)}</p>"
        case Table():
            head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in part.header)
            rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in part.rows)
            return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def as_markdown(parts: Iterable[Part]) -> str:
    """The same as Markdown; what stands in the answers cannot become marks."""
    return f"# {_TITLE}\n\n" + "\n".join(map(_markdown, parts))


def _markdown(part: Part) -> str:
    match part:
        case Heading():
            return f"{'#' * part.level} {_plain(part.text)}\n"
        case Text():
            return f"{'> ' if part.quote else ''}{_plain(part.text)}\n"
        case Table():
            rows = [part.header, ["---", *["---:"] * (len(part.header) - 1)]]
            lines = [f"| {' | '.join(map(_plain, rows[0]))} |", f"| {' | '.join(rows[1])} |"]
            return "\n".join([*lines, *(f"| {' | '.join(map(_plain, row))} |" for row in part.rows), ""])


def _plain(text: str) -> str:
    return _MARKED.sub(r"\\\1", " ".join(text.split()))


def _write_tables(folder: Path, figures: Figures) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(exist_ok=True)

    def write(name: str, rows: list[dict[str, Any]], first: str = "name") -> None:
        fields = [(first, pa.string())] + ([("value", pa.string())] if first == "label" else [])
        numbers = [("bad", pa.int64()), ("total", pa.int64())]
        numbers += [(column, pa.float64()) for column in ("share", "low", "high", "excess")]
        table = pa.Table.from_pylist(rows, schema=pa.schema([*fields, *numbers]))
        parquet.write_table(table, folder / f"{name}.parquet")

    write("days", [{"day": r.name, **_numbers(r)} for r in figures.days], "day")
    write("documents", [{"document": r.name, **_numbers(r)} for r in figures.documents], "document")
    sliced = [
        {"label": label, "value": r.name, **_numbers(r)} for label, rates in figures.slices.items() for r in rates
    ]
    write("slices", sliced, "label")


def _numbers(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval
    return {"bad": rate.bad, "total": rate.total, "share": rate.share, "low": low, "high": high, "excess": rate.excess}
