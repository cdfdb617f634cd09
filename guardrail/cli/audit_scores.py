"""``guardrail audit scores``: verdicts back to the traces they are about."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_SAY_EVERY = 1000


def scores(
    folder: Annotated[Path, typer.Argument(help="Folder of an audit of traces.")],
    to: Annotated[str, typer.Option(help="langfuse, langsmith or phoenix.")],
    url: Annotated[str | None, typer.Option(help="Where it is; default: by the environment.")] = None,
    bad_only: Annotated[bool, typer.Option("--bad-only", help="Only contradicted and unsupported answers.")] = False,
    fingerprint: Annotated[
        str | None, typer.Option(help="Of engine and policy, or how it begins; default: those of the last run.")
    ] = None,
    at_once: Annotated[int, typer.Option(help="Answers in flight.", min=1)] = 8,
) -> None:
    """Write verdicts and scores to the traces with the ids of the answers; written again they replace themselves.

    Keys are read from LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, LANGSMITH_API_KEY, or PHOENIX_API_KEY.
    Example: guardrail audit scores audit --to langfuse --bad-only
    """
    from guardrail.audit.scores import open_sink, write_scores

    def say(done: int, total: int) -> None:
        if done % _SAY_EVERY == 0:
            typer.echo(f"{done:,} of {total:,} answers", err=True)

    with open_sink(to, url) as sink:
        found = write_scores(folder, sink, bad_only=bad_only, fingerprint=fingerprint, at_once=at_once, progress=say)
    typer.echo(f"scores of {found.written:,} answers written to {to}")
    if found.refused:
        typer.echo(f"{found.refused:,} answers were not taken; the last one: {found.reason}", err=True)
        raise typer.Exit(2)
