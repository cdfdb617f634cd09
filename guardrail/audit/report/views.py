"""The Parquet files of an audit as views of DuckDB, which reads only what a question needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guardrail.audit.folder import AuditFolder
from guardrail.audit.sources.paths import missing
from guardrail.audit.tables import ANSWERS, DOCUMENTS, FINDINGS, JUDGEMENTS, PASSING, REJECTED, schemas
from guardrail.errors import UsageError


def views(folder: AuditFolder, fingerprint: str, *, alone: bool = False) -> Any:
    """A connection with the views answers, judgements, findings, documents, rejected, and ``judged``.

    ``judged`` has a row per logged answer that was judged under the fingerprint: its columns of ``answers`` with
    verdict, score, error_types and the rest; ``bad`` and ``known`` are 1 or 0. After a second look its verdicts
    stand in place of the first engine's; ``alone``: without the first engine's. ``every_judgements`` (``alone``) also
    has judgements that a later run has replaced, with their run.

    Raises:
        MissingExtraError: duckdb is not installed.
    """
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise missing("duckdb") from error
    connection = duckdb.connect()
    # Spilled to disk beyond this, beside the audit rather than in a small /tmp.
    connection.execute("SET memory_limit = '2GB'")
    connection.execute(f"SET temp_directory = {_text(str(folder.path / 'spill'))}")
    connection.execute("SET preserve_insertion_order = false")
    last = max((run["number"] for run in folder.runs()), default=0)
    base = None if alone else folder.base(fingerprint)
    _view(connection, ANSWERS, folder.files(ANSWERS))
    _view(connection, REJECTED, folder.files(REJECTED, f"run={last}"))
    if base is None:
        _judged_under(connection, folder, fingerprint, "")
    else:
        _judged_under(connection, folder, fingerprint, "second_")
        _judged_under(connection, folder, base, "first_")
        for table in _JUDGED:
            connection.execute(
                f"CREATE VIEW {table} AS SELECT * FROM second_{table} WHERE content IN ({_SETTLED}) "  # noqa: S608
                f"UNION ALL BY NAME SELECT * FROM first_{table} WHERE content NOT IN ({_SETTLED})"
            )
    connection.execute(
        """CREATE VIEW judged AS
        SELECT a.*, j.* EXCLUDE (content), CAST(verdict IN ('contradicted', 'unsupported') AS INTEGER) AS bad,
            CAST(verdict <> 'unverified' AS INTEGER) AS known
        FROM answers a JOIN judgements j USING (content)"""
    )
    return connection


_JUDGED = (JUDGEMENTS, FINDINGS, DOCUMENTS)  # findings and documents need the judgements


def _judged_under(connection: Any, folder: AuditFolder, fingerprint: str, prefix: str) -> None:
    """Views ``judgements``, ``findings``, ``documents`` under the prefix, each content once, as it was judged last.

    Only what could not be judged for a passing reason is judged again. ``every_judgements`` has the earlier ones too.
    """
    for table in _JUDGED:
        name, every = f"{prefix}{table}", f"{prefix}every_{table}"
        by_run = folder.files_by_run(table, f"fingerprint={fingerprint}")
        for run, files in by_run.items():
            _view(connection, f"{every}_{run}", files)
        connection.register(f"no_{every}", schemas()[table].empty_table())  # has columns that old files may lack
        each = [f"SELECT *, 0 AS run FROM no_{every}"]  # noqa: S608  our own name
        each += [f"SELECT *, {run} AS run FROM {every}_{run}" for run in by_run]  # noqa: S608  numbers of ours
        connection.execute(f"CREATE VIEW {every} AS {' UNION ALL BY NAME '.join(each)}")
        if table == JUDGEMENTS:
            connection.execute(
                f"""CREATE TEMP TABLE {prefix}newest AS SELECT content, MAX(run) AS run FROM {every}
                WHERE content IN (SELECT content FROM {every} WHERE verdict = 'unverified' AND cause IN {PASSING})
                GROUP BY 1 HAVING COUNT(*) > 1"""  # noqa: S608  our own names
            )
        connection.execute(
            f"""CREATE VIEW {name} AS SELECT * EXCLUDE (run) FROM {every} e WHERE NOT EXISTS
            (SELECT 1 FROM {prefix}newest n WHERE n.content = e.content AND n.run > e.run)"""  # noqa: S608
        )


# What the second engine could not judge takes no verdict of the first away.
_SETTLED = "SELECT content FROM second_judgements WHERE verdict <> 'unverified'"


def _view(connection: Any, name: str, files: Sequence[Path]) -> None:
    if not files:
        connection.register(name, schemas()[name].empty_table())
        return
    listed = ", ".join(_text(str(file)) for file in files)
    # Not by DuckDB's own reading of day=…: a folder of the user's may be called content=… too.
    chosen, more = ("* EXCLUDE (filename), " + _DAY, ", filename = true") if name == ANSWERS else ("*", "")
    connection.execute(
        f"CREATE VIEW {name} AS SELECT {chosen} FROM read_parquet([{listed}], hive_partitioning = false{more})"  # noqa: S608
    )


_DAY = r"regexp_extract(filename, 'day=([^/\\]+)[/\\][^/\\]+$', 1) AS day"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def chosen_fingerprint(folder: AuditFolder, fingerprint: str | None) -> str:
    """The fingerprint of that beginning, or of the last run.

    Raises:
        UsageError: there is none, or several.
    """
    known = list(folder.fingerprints())
    if fingerprint is None:
        runs = folder.runs()
        if not runs:
            raise UsageError(f"{str(folder.path)!r} holds no audit yet. Begin one: guardrail audit SOURCE --out FOLDER")
        return str(runs[-1]["fingerprint"])
    fitting = [one for one in known if one.startswith(fingerprint)]
    if len(fitting) != 1:
        raise UsageError(f"{len(fitting)} fingerprints begin with {fingerprint!r}; there are {', '.join(known)}.")
    return fitting[0]
