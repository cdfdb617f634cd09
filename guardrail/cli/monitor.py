"""``guardrail monitor``: files for Prometheus and Grafana, and what a record store holds."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from guardrail.cli.records import show_label, show_rates, show_record
from guardrail.cli.streams import opened, write_record
from guardrail.errors import UsageError
from guardrail.evaluation.data.output import STANDARD_OUTPUT, refuse_unwritable
from guardrail.telemetry.monitor.files import JOB, TARGET, write_files
from guardrail.telemetry.records.database import files_of
from guardrail.telemetry.records.export import as_json
from guardrail.telemetry.records.record import StoredRecord
from guardrail.telemetry.records.store import RecordStore

_LISTEN = {"127.0.0.1": "", "localhost": "", "[::1]": ', host="::1"'}
"""Further arguments of serve_metrics by host of the target; all others are reached from elsewhere."""
_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}

StoreArgument = Annotated[Path, typer.Argument(help="The file of a guardrail.telemetry.records.RecordStore.")]
IdArgument = Annotated[str, typer.Argument(help="Id of the record, or its first six digits or more.")]
SinceOption = Annotated[
    str | None, typer.Option(help="Not older: 30m, 24h, 7d, 2w, or a time such as 2026-05-01T09:00.")
]
UntilOption = Annotated[str | None, typer.Option(help="Older than this; as --since.")]
LabelOption = Annotated[
    list[str] | None, typer.Option("--label", help="Only with this label: retriever=bm25. Repeated: with all of them.")
]
VerdictOption = Annotated[str | None, typer.Option(help="contradicted, unsupported, unverified, supported, abstained.")]
ErrorTypeOption = Annotated[str | None, typer.Option(help="With such a finding: causal_confusion, mixed_entities, ...")]
LabelledOption = Annotated[
    bool | None, typer.Option("--labelled/--unlabelled", help="Only what a person labelled, or nobody did.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


class ExportFormat(StrEnum):
    """How records are written."""

    JSONL = "jsonl"
    PARQUET = "parquet"


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


def worst(
    store: StoreArgument,
    number: Annotated[int, typer.Option("-n", "--number", help="At most so many.", min=1)] = 10,
    since: SinceOption = None,
    until: UntilOption = None,
    label: LabelOption = None,
    verdict: VerdictOption = None,
    error_type: ErrorTypeOption = None,
    labelled: LabelledOption = None,
    unverified: Annotated[bool, typer.Option("--unverified", help="Also those not verified.")] = False,
    repeated: Annotated[
        bool, typer.Option("--repeated", help="The same question and answer as often as it came.")
    ] = False,
    as_lines: Annotated[bool, typer.Option("--json", help="Print JSON lines, as `export` writes them.")] = False,
) -> None:
    """Show the worst answers: the sentence at fault, the evidence or the nearest passage, the reason.

    Contradicted ones come first, then unsupported ones, each with the lowest score first.

    Example: guardrail monitor worst guardrail.db -n 5 --since 24h --label retriever=bm25
    """
    records = _open(store).worst(
        number,
        **_chosen(since, until, label, verdict, error_type, labelled),
        unverified=unverified,
        distinct=not repeated,
    )
    _print(records, lines=as_lines)
    if not records and not as_lines:
        typer.echo("no such record")


def show(store: StoreArgument, record: IdArgument, as_lines: JsonOption = False) -> None:
    """Show one record whole: all findings, what was delivered, what people said of it.

    Example: guardrail monitor show guardrail.db 3f2a9c
    """
    _print([_get(_open(store), record)], lines=as_lines, whole=True)


def stats(
    store: StoreArgument,
    since: SinceOption = None,
    until: UntilOption = None,
    label: LabelOption = None,
    as_lines: JsonOption = False,
) -> None:
    """Estimate how many answers of each verdict there were, by label; sampled ones count for those left out.

    Example: guardrail monitor stats guardrail.db --since 7d
    """
    found = _open(store).stats(**_chosen(since, until, label))
    if as_lines:
        typer.echo(json.dumps(asdict(found)))
    else:
        with opened(None) as target:
            show_rates(found, Console(file=target, highlight=False))


def label(
    store: StoreArgument,
    record: IdArgument,
    verdict: Annotated[
        str, typer.Argument(help="supported, contradicted, unsupported or abstained; none takes a label back.")
    ],
    finding: Annotated[
        str | None, typer.Option(help="Id of the finding that is meant, rather than the answer.")
    ] = None,
    error_type: Annotated[str | None, typer.Option(help="The kind of error, such as causal_confusion.")] = None,
    note: Annotated[str | None, typer.Option(help="Why, in words.")] = None,
    by: Annotated[str | None, typer.Option(help="Who says so.")] = None,
    as_lines: JsonOption = False,
) -> None:
    """Say what an answer really is; `export --labelled` then writes what `guardrail eval` reads.

    Example: guardrail monitor label guardrail.db 3f2a9c unsupported --note "the passage is about 2019"
    """
    said = None if verdict == "none" else verdict
    done = _open(store).label(record, said, finding, error_type=error_type, note=note, by=by)
    if as_lines:
        _print([done], lines=True)
    else:
        with opened(None) as target:
            show_label(done, Console(file=target, highlight=False))


def export(
    store: StoreArgument,
    out: Annotated[Path, typer.Option(help="The file to write; '-' prints JSONL.")],
    output: Annotated[ExportFormat, typer.Option("--format", help="parquet needs the extra `parquet`.")] = (
        ExportFormat.JSONL
    ),
    faults: Annotated[
        bool, typer.Option("--faults/--all", help="Only what somebody may have to look at, the worst first.")
    ] = True,
    limit: Annotated[int | None, typer.Option(help="At most so many.", min=1)] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    label: LabelOption = None,
    verdict: VerdictOption = None,
    error_type: ErrorTypeOption = None,
    labelled: LabelledOption = None,
) -> None:
    """Write records for `guardrail check`, `guardrail eval` or a data frame; labelled ones with --labelled.

    Example: guardrail monitor export guardrail.db --out worst.jsonl --since 7d --limit 200
    """
    source = _open(store)
    chosen = _chosen(since, until, label, verdict, error_type, labelled)
    if faults and not labelled and verdict is None:
        chosen["faulty"] = True
    if str(out) == STANDARD_OUTPUT:
        if output is not ExportFormat.JSONL:
            raise UsageError("'-' prints JSONL only. Name a file for --format parquet.")
        with opened(None) as target:
            for record in source.records(limit=limit, worst_first=faults, **chosen):
                if record.left_out is None:
                    write_record(target, as_json(record))
        return
    refuse_unwritable(out, files_of(store))
    count = source.export(out, format=output.value, limit=limit, worst_first=faults, **chosen)
    typer.echo(f"{count} records written to {out}", err=True)


def prune(
    store: StoreArgument,
    days: Annotated[float | None, typer.Option(help="Delete what is older.", min=0.0)] = None,
    max_records: Annotated[
        int | None, typer.Option(help="Keep so many; what nobody objected to goes first.", min=1)
    ] = None,
) -> None:
    """Delete records now and shrink the file; the service that writes it does so by itself.

    Example: guardrail monitor prune guardrail.db --days 7
    """
    if days is None and max_records is None:
        raise UsageError("nothing to prune by. Give --days, --max-records, or both.")
    if not store.is_file():
        raise UsageError(f"no such file: {str(store)!r}.")
    gone = RecordStore(store, days=None, max_records=None).prune(days=days, max_records=max_records)
    typer.echo(f"{gone} records deleted", err=True)


def _open(store: Path) -> RecordStore:
    if not store.is_file():
        raise UsageError(f"no such file: {str(store)!r}. It is made when a guarded service keeps its first record.")
    return RecordStore(store)


def _get(store: RecordStore, ident: str) -> StoredRecord:
    found = store.get(ident)
    if found is None:
        raise UsageError(f"there is no record {ident!r}. `guardrail monitor worst` prints the ids.")
    return found


def _print(records: Sequence[StoredRecord], *, lines: bool, whole: bool = False) -> None:
    with opened(None) as target:
        console = Console(file=target, highlight=False)
        for place, record in enumerate(records, 1):
            if lines:
                write_record(target, as_json(record))
            else:
                show_record(record, console, place=None if whole else place, whole=whole)


def _chosen(
    since: str | None,
    until: str | None,
    label: Sequence[str] | None,
    verdict: str | None = None,
    error_type: str | None = None,
    labelled: bool | None = None,
) -> dict[str, Any]:
    """The arguments of the store that these options stand for."""
    given = {
        "since": _read_time(since, "--since"),
        "until": _read_time(until, "--until"),
        "labels": _read_labels(label or ()),
        "verdict": verdict,
        "error_type": error_type,
        "labelled": labelled,
    }
    return {key: value for key, value in given.items() if value is not None}


def _read_labels(given: Sequence[str]) -> Mapping[str, str]:
    for pair in given:
        if "=" not in pair:
            raise UsageError(f"--label {pair!r} has no '='. Write it as --label retriever=bm25.")
    labels = dict(pair.split("=", 1) for pair in given)
    if len(labels) < len(given):
        raise UsageError("--label names one label twice, and a record has one value of each. Ask one by one.")
    return labels


def _read_time(given: str | None, option: str) -> datetime | timedelta | None:
    if given is None:
        return None
    ago = _AGO.fullmatch(given.strip())
    try:
        if ago is not None:
            return timedelta(**{_UNITS[ago[2]]: float(ago[1])})
        return datetime.fromisoformat(given.strip()).astimezone()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{option} {given!r} is no time. Write how long ago (30m, 24h, 7d, 2w) or a time (2026-05-01T09:00)."
        ) from error


monitors = typer.Typer(
    help="Watch guarded answers: alerts and dashboard, the worst ones with their evidence.", no_args_is_help=True
)
for command in (files, worst, show, stats, label, export, prune):
    monitors.command()(command)
