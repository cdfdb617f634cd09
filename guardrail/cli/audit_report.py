"""The report of ``guardrail audit``: written after each run, and anew by ``guardrail audit report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from guardrail.audit.compare import Comparison
    from guardrail.audit.rate import Corrected

SINCE = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the audit before, to report what changed; default: this folder under the engine and policy "
        "before, if there was another.",
        show_default=False,
    ),
]


def write(
    folder: Path, fingerprint: str | None = None, corrected: Corrected | None = None, since: Path | None = None
) -> None:
    """Write the report, with what changed since another audit, and say the rate."""
    from guardrail.audit.compare import changes_of, write_comparison
    from guardrail.audit.report import write_report

    found = _compared(folder, fingerprint, since)
    whole = write_report(folder, fingerprint, corrected, () if found is None else changes_of(found)).whole
    if corrected is not None:
        typer.echo(
            f"{corrected.rate:.1%} by labels of a sample (95 % interval {corrected.low:.1%} to {corrected.high:.1%}); "
            "by the engine alone:"
        )
    if whole.total:
        low, high = whole.interval
        typer.echo(
            f"{whole.bad / whole.total:.1%} of {whole.total:,} answers are not supported by their passages "
            f"(95 % interval {low:.1%} to {high:.1%})"
        )
    more = ""
    if found is not None:
        write_comparison(found, folder)
        more = "; what changed: compare.html, compare.json"
    typer.echo(f"report: {folder}/report.html, report.md, tables/{more}")


def _compared(folder: Path, fingerprint: str | None, since: Path | None) -> Comparison | None:
    from guardrail.audit.compare import compare
    from guardrail.audit.folder import AuditFolder
    from guardrail.audit.report.views import chosen_fingerprint

    if since is not None and since.resolve() != folder.resolve():
        return compare(since, folder, then_fingerprint=fingerprint)
    with AuditFolder(folder) as opened:
        before = opened.before(chosen_fingerprint(opened, fingerprint))
    return None if before is None else compare(folder, folder, first_fingerprint=before, then_fingerprint=fingerprint)
