"""``guardrail studio``: check, browse, label, set, compare and watch in one local page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from guardrail.errors import MissingExtraError


def studio(
    source: Annotated[
        Path | None,
        typer.Argument(help="A record store (guardrail.db), or answers or reports in JSON lines.", show_default=False),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(help="A policy file to choose besides the presets, or FILE#NAME; repeatable."),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(help="An engine to choose besides the local one, such as llm:gpt-4o-mini; repeatable."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Label file that the view Label appends to; default: beside SOURCE, as NAME.labels.jsonl."),
    ] = None,
    policy_out: Annotated[
        Path | None, typer.Option(help="Policy file that the view Set may write; it asks before it overwrites one.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(help="Port; default: 8322, or a free one.", min=0, max=65535)] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open a local page: check an answer and see why, look at recorded answers, label them, set the threshold.

    Example: guardrail studio guardrail.db
    """
    try:
        from guardrail.service.studio.server import serve
        from guardrail.service.studio.studio import Studio
    except ModuleNotFoundError as error:
        raise MissingExtraError(f'studio needs {error.name}: pip install "rag-guardrail[studio]"') from error
    data = Studio(source, policies=policy or (), engines=engine or (), labels=labels, policy_out=policy_out)
    serve(data, host=host, port=port, browser=browser)
