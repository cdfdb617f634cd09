"""The ``guardrail`` command. Exit codes: 0 nothing to object, 1 the policy acted, 2 wrong usage or input."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from guardrail import __version__
from guardrail.cli.audit import audits
from guardrail.cli.calibrate import calibrate
from guardrail.cli.check import check
from guardrail.cli.demo import demo
from guardrail.cli.eval import evaluate
from guardrail.cli.extract import extract
from guardrail.cli.mcp import mcp
from guardrail.cli.monitor import monitors
from guardrail.cli.policy import policies
from guardrail.cli.serve import serve
from guardrail.cli.stress import stress
from guardrail.cli.studio import studio
from guardrail.errors import GuardrailError

app = typer.Typer(
    help="Check answers of a RAG application against their passages. No key, no network, unless you name a model.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(check)
app.command()(calibrate)
app.command()(demo)
app.command("eval")(evaluate)
app.command()(extract)
app.command()(mcp)
app.command()(serve)
app.command()(stress)
app.command()(studio)
app.add_typer(audits, name="audit")
app.add_typer(monitors, name="monitor")
app.add_typer(policies, name="policy")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """Run the command line; errors of ours are one line on stderr and exit code 2."""
    try:
        app()
    except GuardrailError as error:
        typer.echo(f"guardrail: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
