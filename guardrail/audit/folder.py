"""The folder of an audit: batches are committed one by one to a journal, and moved from it to Parquet in larger lots.

FOLDER/
  journal.db                              what is done, and what waits to be moved
  answers/day=2026-11-03/*.parquet        one row per logged answer
  judgements|findings|documents/fingerprint=…/*.parquet
  rejected/run=3/*.parquet                what could not be audited, and why
A Parquet file counts only once the journal names it, so a crash at any point leaves nothing half done.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from guardrail.audit.fingerprint import Fingerprint
from guardrail.audit.judging import Judged
from guardrail.audit.keys import KeySet
from guardrail.audit.plan import Plan, pairs_of
from guardrail.audit.sources.reading import Reading
from guardrail.audit.tables import ANSWERS, JUDGEMENTS, REJECTED, TABLES, packed, passing, unpacked
from guardrail.errors import UsageError

VERSION = 2
_OWNER = 0x67726175  # "grau"
LOT = 50_000
"""Rows of answers or judgements that wait in the journal before they are moved to Parquet."""

_TABLES = (
    """CREATE TABLE runs (number INTEGER PRIMARY KEY, source TEXT, fingerprint TEXT, started REAL, ended REAL,
        state TEXT, counts TEXT, reading TEXT)""",
    "CREATE TABLE fingerprints (id TEXT PRIMARY KEY, engine TEXT, policy TEXT, first REAL, base TEXT)",
    # Numbers name files, so none may come again (AUTOINCREMENT) when the table was emptied.
    """CREATE TABLE waiting (number INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, part TEXT, tbl TEXT,
        rows INTEGER, data BLOB)""",
    "CREATE TABLE files (path TEXT PRIMARY KEY, tbl TEXT, part TEXT, run INTEGER, rows INTEGER)",
    f"PRAGMA application_id = {_OWNER}",
    f"PRAGMA user_version = {VERSION}",
)


class AuditFolder:
    """An audit on disk. One process at a time may write to it; a context manager that closes it.

    Args:
        path: The folder; made where it is not there.
        writes: Whether this process audits; else it only reads, whatever another one does meanwhile.

    Raises:
        UsageError: the folder holds something else, or another process is at work in it.
    """

    def __init__(self, path: str | Path, *, writes: bool = False) -> None:
        self.path = Path(path)
        journal = self.path / "journal.db"
        if not writes and not journal.exists():
            raise UsageError(f"{str(path)!r} is no folder of an audit. Make one: guardrail audit SOURCE --out {path}")
        if writes and not journal.exists() and self.path.exists() and any(self.path.iterdir()):
            raise UsageError(f"{str(path)!r} is not empty and no folder of an audit. Name another with --out.")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.path / "lock.db") if writes else None
            self._db = sqlite3.connect(journal, isolation_level=None, timeout=30)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"cannot audit into {str(path)!r}: {error}.") from error
        self.run = 0
        if writes:
            self._drop_orphans()

    def _prepare(self) -> None:
        owner = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        empty = self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None
        if (not empty and owner != _OWNER) or version > VERSION:
            raise UsageError(f"{str(self.path)!r} was written by something else, or a newer guardrail.")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if empty:
            with self._transaction():
                for statement in _TABLES:
                    self._db.execute(statement)
        elif version == 1:
            with self._transaction():
                self._db.execute("ALTER TABLE runs ADD COLUMN reading TEXT")
                self._db.execute(f"PRAGMA user_version = {VERSION}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        self._db.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def begin(self, source: str, fingerprint: Fingerprint, reading: Reading | None = None) -> int:
        """A new run of a source, which ``reading`` opens again; its number."""
        with self._transaction():
            self._know(fingerprint)
            made = self._db.execute(
                "INSERT INTO runs (source, fingerprint, started, state, counts, reading) "
                "VALUES (?, ?, ?, 'begun', '{}', ?)",
                (source, fingerprint.id, time.time(), None if reading is None else json.dumps(reading.as_json())),
            )
        self.run = int(made.lastrowid or 0)
        return self.run

    def look_again(self, fingerprint: Fingerprint) -> None:
        """The run goes on with a second engine, whose verdicts are those that count."""
        with self._transaction():
            self._know(fingerprint)
            self._db.execute("UPDATE runs SET fingerprint = ? WHERE number = ?", (fingerprint.id, self.run))

    def _know(self, fingerprint: Fingerprint) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO fingerprints VALUES (?, ?, ?, ?, ?)",
            (fingerprint.id, fingerprint.engine, json.dumps(fingerprint.policy), time.time(), fingerprint.base),
        )

    def end(self, state: str, counts: dict[str, Any]) -> None:
        """Move what waits to Parquet, and note how the run ended; a second look stands beside the first."""
        self.move()
        (before,) = self._db.execute("SELECT counts FROM runs WHERE number = ?", (self.run,)).fetchone()
        first = json.loads(before)
        noted = {**first, "second": counts} if first else counts
        self._db.execute(
            "UPDATE runs SET ended = ?, state = ?, counts = ? WHERE number = ?",
            (time.time(), state, json.dumps(noted), self.run),
        )

    def plan(self, fingerprint: str, *, pay_again: bool = False) -> Plan:
        """What is done already under that fingerprint; what could not be judged for a passing reason is not.

        ``pay_again``: nor is what could not be judged with all the requests that one answer may make.
        """
        import numpy as np
        import pyarrow.compute as pc

        ids, pairs = [], []
        for table in self._tables(ANSWERS, None, ["key", "content"]):
            keys, texts = (np.asarray(table[name].to_numpy()) for name in ("key", "content"))
            ids.append(keys)
            pairs.append(pairs_of(keys, texts))
        judged = self._tables(JUDGEMENTS, _part(JUDGEMENTS, fingerprint), ["content", "verdict", "cause", "calls"])
        done = (table.filter(pc.invert(passing(table, spent=pay_again))) for table in judged)
        contents = (np.asarray(table["content"].to_numpy()) for table in done)
        return Plan(ids=KeySet(ids), pairs=KeySet(pairs), contents=KeySet(contents))

    def _tables(self, table: str, part: str | None, columns: Sequence[str]) -> Iterator[Any]:
        from pyarrow import parquet

        for path in self.files(table, part):
            yield parquet.ParquetFile(path).read(columns=list(columns))
        query = "SELECT data FROM waiting WHERE tbl = ? AND (? IS NULL OR part = ?)"
        for (data,) in self._db.execute(query, (table, part, part)):
            yield unpacked(data).select(list(columns))

    def files(self, table: str, part: str | None = None) -> list[Path]:
        """The Parquet files of a table, or of one part of it such as ``fingerprint=…``."""
        query = "SELECT path FROM files WHERE tbl = ? AND (? IS NULL OR part = ?) ORDER BY path"
        return [self.path / path for (path,) in self._db.execute(query, (table, part, part))]

    def files_by_run(self, table: str, part: str) -> dict[int, list[Path]]:
        """The same by the run that they came from, oldest first."""
        query = "SELECT run, path FROM files WHERE tbl = ? AND part = ? ORDER BY run, path"
        found: dict[int, list[Path]] = {}
        for run, path in self._db.execute(query, (table, part)):
            found.setdefault(run, []).append(self.path / path)
        return found

    def runs(self) -> list[dict[str, Any]]:
        """All runs in order."""
        names = ("number", "source", "fingerprint", "started", "ended", "state", "counts")
        rows = self._db.execute(f"SELECT {', '.join(names)} FROM runs ORDER BY number").fetchall()  # noqa: S608
        return [{**dict(zip(names, row, strict=True)), "counts": json.loads(row[-1])} for row in rows]

    def readings(self) -> dict[str, Reading]:
        """How each source was read, the last one first; those that only Python can name are left out."""
        rows = self._db.execute("SELECT source, reading FROM runs WHERE reading IS NOT NULL ORDER BY number DESC")
        found: dict[str, Reading] = {}
        for source, reading in rows.fetchall():
            found.setdefault(source, Reading.of(json.loads(reading)))
        return found

    def fingerprints(self) -> dict[str, str]:
        """The engine of each fingerprint, oldest first."""
        return dict(self._db.execute("SELECT id, engine FROM fingerprints ORDER BY first, id").fetchall())

    def before(self, fingerprint: str) -> str | None:
        """The fingerprint under which an earlier run judged last, other than this one and what it stands on."""
        last = None
        for run in self.runs():
            if run["fingerprint"] == fingerprint:
                break
            last = run["fingerprint"] if run["fingerprint"] != self.base(fingerprint) else last
        return last

    def base(self, fingerprint: str) -> str | None:
        """Of a second look: the fingerprint whose verdicts stand where there was none."""
        found = self._db.execute("SELECT base FROM fingerprints WHERE id = ?", (fingerprint,)).fetchone()
        return None if found is None or found[0] is None else str(found[0])

    def commit(self, judged: Judged, fingerprint: str) -> None:
        """A batch, all of it or nothing."""
        parts = {table: "" if table == ANSWERS else _part(table, fingerprint) for table in TABLES}
        rows: dict[str, Sequence[Any]] = dict(judged.rows)
        if judged.rejected:
            parts[REJECTED] = f"run={self.run}"
            rows[REJECTED] = [
                {name: _plain(getattr(one, name)) for name in one.__dataclass_fields__} for one in judged.rejected
            ]
        with self._transaction():
            for table, some in rows.items():
                if some:
                    self._db.execute(
                        "INSERT INTO waiting (run, part, tbl, rows, data) VALUES (?, ?, ?, ?, ?)",
                        (self.run, parts[table], table, len(some), packed(table, some)),
                    )
        waiting = self._db.execute("SELECT MAX(n) FROM (SELECT SUM(rows) n FROM waiting GROUP BY tbl)").fetchone()[0]
        if (waiting or 0) >= LOT:
            self.move()

    def move(self) -> None:
        """Write what waits to Parquet."""
        parts = self._db.execute(
            "SELECT tbl, part, run, MIN(number), MAX(number) FROM waiting GROUP BY tbl, part, run ORDER BY 1, 2, 3"
        ).fetchall()
        for table, part, run, first, last in parts:
            chosen = (table, part, run)
            data = self._db.execute(
                "SELECT data FROM waiting WHERE tbl = ? AND part = ? AND run = ? ORDER BY number", chosen
            )
            written = self._write(table, part, f"{run:04d}-{first:010d}-{last:010d}", (d for (d,) in data))
            with self._transaction():
                self._db.executemany(
                    "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)",
                    [(path, table, part, run, rows) for path, rows in written],
                )
                self._db.execute(
                    "DELETE FROM waiting WHERE tbl = ? AND part = ? AND run = ? AND number <= ?", (*chosen, last)
                )
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _write(self, table: str, part: str, name: str, data: Iterable[bytes]) -> list[tuple[str, int]]:
        import pyarrow as pa
        import pyarrow.compute as pc

        whole = pa.concat_tables([unpacked(some) for some in data])
        if table != ANSWERS:
            return [self._write_file(whole, table, part, name)]
        days = sorted(pc.unique(whole["day"]).to_pylist())
        return [
            self._write_file(whole.filter(pc.equal(whole["day"], day)).drop_columns(["day"]), table, f"day={day}", name)
            for day in days
        ]

    def _write_file(self, rows: Any, table: str, part: str, name: str) -> tuple[str, int]:
        from pyarrow import parquet

        target = self.path / table / part / f"{name}.parquet"
        new = [folder for folder in (target.parent, target.parent.parent) if not folder.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as handle:
            parquet.write_table(rows, handle, compression="zstd")
            handle.flush()
            os.fsync(handle.fileno())
        for folder in (target.parent, *(one.parent for one in new)):
            _sync_folder(folder)
        return target.relative_to(self.path).as_posix(), rows.num_rows

    def _drop_orphans(self) -> None:
        """Files of a lot that was not finished; their rows still wait in the journal."""
        known = {path for (path,) in self._db.execute("SELECT path FROM files")}
        for table in (*TABLES, REJECTED):
            for file in (self.path / table).rglob("*.parquet"):
                if file.relative_to(self.path).as_posix() not in known:
                    file.unlink()


def _sync_folder(folder: Path) -> None:
    """So that the name of a new file survives a power cut as its content does."""
    if os.name == "posix":  # Windows opens no folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _part(table: str, fingerprint: str) -> str:
    return "" if table == ANSWERS else f"fingerprint={fingerprint}"


def _plain(value: Any) -> Any:
    from guardrail.telemetry.records.database import storable

    return storable(value) if isinstance(value, str) else value


def _locked(path: Path) -> sqlite3.Connection:
    """A lock that the system takes back from a process that is killed.

    Raises:
        UsageError: somebody else holds it.
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        raise UsageError(
            f"another audit is at work in {str(path.parent)!r}. Wait for it, or name another folder."
        ) from error
    return connection
