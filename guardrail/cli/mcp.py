"""``guardrail mcp``: the guard as tools of an assistant, over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from guardrail.cli.engines import EngineChoice, with_engine
from guardrail.guard import Guard
from guardrail.policy.by_name import PRESET_OR_FILE, load_policy
from guardrail.telemetry import Telemetry


@with_engine
def mcp(
    policy: Annotated[str, typer.Option(help=PRESET_OR_FILE)] = "monitor",
    *,
    engine: EngineChoice,
    records: Annotated[
        Path | None,
        typer.Option(help="A record store: answers that are checked are recorded, and worst_answers reads it."),
    ] = None,
) -> None:
    """Serve check_answer and worst_answers by the Model Context Protocol, on standard input and output.

    Example: guardrail mcp --records guardrail.db (in a client's settings: "command": "guardrail", "args": ["mcp", ...])
    """
    from guardrail_mcp import make_server

    from guardrail.telemetry.records import RecordStore  # what a command needs is loaded with it

    rules = load_policy(policy)
    store = None if records is None else RecordStore(records)
    guard = Guard(policy=rules, engine=engine.build(rules), telemetry=Telemetry(recorder=store))
    try:
        make_server(guard, store).run()
    finally:
        if store is not None:
            store.close()
