"""``guardrail monitor files``: write the folder with Prometheus' configuration, rules, alerts and the dashboard."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from guardrail.telemetry.monitor.files import JOB, TARGET, write_files

_LISTEN = {"127.0.0.1": "", "localhost": "", "[::1]": ', host="::1"'}
"""Further arguments of serve_metrics by host of the target; all others are reached from elsewhere."""


def files(
    folder: Annotated[Path, typer.Argument(help="Where to write; made if it is not there.")],
    target: Annotated[
        list[str] | None, typer.Option(help=f"host:port where a service has its /metrics; repeatable. [{TARGET}]")
    ] = None,
    job: Annotated[str, typer.Option(help="Prometheus' name for the service.")] = JOB,
    pace: Annotated[float, typer.Option(help="Divide all windows, delays and intervals: for demos and tests.")] = 1.0,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the names of the files as JSON.")] = False,
) -> None:
    """Write a folder that Prometheus runs as it is: scrapes, rules, alerts, and a Grafana dashboard.

    Example: guardrail monitor files monitoring --target shop-1:9464 --target shop-2:9464
    """
    targets = tuple(target or (TARGET,))
    written = write_files(folder, targets=targets, job=job, pace=pace, force=force)
    if as_json:
        typer.echo(json.dumps({"folder": str(folder), "files": [str(path) for path in written]}, ensure_ascii=False))
        return
    typer.echo(f"{len(written)} files written to {folder}.")
    typer.echo("")
    typer.echo(f"  1. Let the service serve its metrics at {', '.join(targets)}:")
    typer.echo("       from guardrail.telemetry.monitor import serve_metrics")
    host, _, port = targets[0].rpartition(":")
    everywhere = ', host="::"' if host.startswith("[") else ', host="0.0.0.0"'
    typer.echo(f"       serve_metrics({port}{_LISTEN.get(host, everywhere)})")
    typer.echo(f"  2. prometheus --config.file={shlex.quote(str(folder / 'prometheus.yml'))}")
    typer.echo("     Alerts are then at http://127.0.0.1:9090/alerts.")
    typer.echo(f"  3. Thresholds, Alertmanager, Grafana: see {folder / 'README.md'}.")
