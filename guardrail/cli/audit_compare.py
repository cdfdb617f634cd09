"""``guardrail audit compare``: two audits side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def compare(
    first: Annotated[Path, typer.Argument(help="A: folder of an audit.")],
    then: Annotated[Path, typer.Argument(help="B: folder of another, or the same one.")],
    to: Annotated[
        Path | None, typer.Option(help="Folder for compare.html and compare.json; default: B.", show_default=False)
    ] = None,
    fingerprint: Annotated[
        list[str] | None,
        typer.Option(help="Of engine and policy, or how it begins: once for A, then for B; default: of the last run."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """What became better and what worse from A to B: in all, by slice, error type and document, with 95 % intervals.

    Answers that are in both audits are compared one by one. Example: guardrail audit compare audit-june audit-july
    """
    from guardrail.audit.compare import compare as compared
    from guardrail.audit.compare import write_comparison
    from guardrail.audit.compare.written import as_json as written
    from guardrail.audit.compare.written import lines_of
    from guardrail.errors import UsageError

    chosen: list[str] | list[None] = fingerprint or [None, None]
    if len(chosen) != 2:
        raise UsageError(f"--fingerprint is given twice, for A and for B, or not at all; got {fingerprint}.")
    found = compared(first, then, first_fingerprint=chosen[0], then_fingerprint=chosen[1])
    place = then if to is None else to
    write_comparison(found, place)
    for line in [written(found)] if as_json else lines_of(found):
        typer.echo(line)
    typer.echo(f"page: {place}/compare.html, compare.json", err=True)
