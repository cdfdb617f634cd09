"""``guardrail monitor``: watch the answers of a service that is guarded."""

from __future__ import annotations

import typer

from guardrail.cli.monitor_files import files
from guardrail.cli.stored import export, label, prune, show, stats, worst

monitors = typer.Typer(
    help="Watch guarded answers: alerts and dashboard, the worst ones with their evidence.", no_args_is_help=True
)
for command in (files, worst, show, stats, label, export, prune):
    monitors.command()(command)
