"""A file of answers or reports as a source: its rows as a table in memory, its texts read from the file when asked for.

Three kinds of rows are read, mixed as they come: answers that nobody checked (``guardrail check`` reads them), reports
(``guardrail check`` writes them), and exported records (``guardrail monitor export``).
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from guardrail.errors import UsageError
from guardrail.service.studio.json_rows import JsonRows
from guardrail.service.studio.recorded.file_rows import BadRow, as_columns, as_shown, identify
from guardrail.service.studio.recorded.source import UNCHECKED
from guardrail.telemetry.records.database import in_memory

_AT_ONCE = 200
_SHOWN = 20


class FileSource:
    """The rows of one file.

    Attributes:
        name: Of the file.
        skipped: What was wrong with the first rows that are no answers, in words.
        wrong: How many those are.
    """

    kind = "file"

    def __init__(self, rows: JsonRows) -> None:
        self.name = rows.path.name
        self.skipped: list[str] = []
        self.wrong = 0
        self._rows = rows
        self._turn = threading.RLock()
        self._table: sqlite3.Connection | None = None

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """See Source. The first one reads the whole file once; one question at a time."""
        with self._turn:
            if self._table is None:
                self._table = self._index()
            yield self._table

    def read(self, connection: sqlite3.Connection, numbers: Iterable[int]) -> Iterator[tuple[int, dict[str, Any]]]:
        """See Source."""
        for number in numbers:
            named = "SELECT id, verdict FROM records WHERE number = ?"
            found = connection.execute(named, (number,)).fetchone()
            kept = connection.execute("SELECT content FROM contents WHERE number = ?", (number,)).fetchone()
            if kept is not None:
                yield number, json.loads(kept[0])
            else:
                yield number, as_shown(self._rows.row(number), found[0], checked=found[1] != UNCHECKED)

    def find(self, connection: sqlite3.Connection, ident: str) -> dict[str, Any] | None:
        """See Source."""
        row = connection.execute("SELECT number FROM records WHERE id = ?", (ident,)).fetchone()
        return None if row is None else next(record for _, record in self.read(connection, row))

    def holding(self, connection: sqlite3.Connection, numbers: Iterable[int], word: str) -> Iterator[int]:  # noqa: ARG002
        """See Source: any of them may, for the file's JSON is read as a whole anyway."""
        yield from numbers

    def keep(self, record: dict[str, Any]) -> None:
        """What was found about an answer that nobody had checked; it is in memory as long as the studio runs."""
        with self.open() as table:
            row = table.execute("SELECT number FROM records WHERE id = ?", (record["id"],)).fetchone()
            if row is None:
                raise UsageError(f"the file has no answer {record['id']!r}.")
            columns = as_columns({**record, "at": record.get("at")}, record["id"])
            table.execute("DELETE FROM records WHERE number = ?", row)
            _insert(table, [{"number": row[0], **columns}])
            text = json.dumps(record, ensure_ascii=True)
            table.execute("INSERT OR REPLACE INTO contents (number, content) VALUES (?, ?)", (*row, text))

    def _index(self) -> sqlite3.Connection:
        table, taken = in_memory(one_thread=False), set[str]()
        table.execute("BEGIN")
        for start in range(0, len(self._rows), _AT_ONCE):
            columns = []
            for number, row in self._read(start):
                try:
                    ident = identify(row, number, taken)
                    columns.append({"number": number, **as_columns(row, ident)})
                except BadRow as bad:
                    self._skip(f"row {number + 1}: {bad}")
                else:
                    taken.add(ident)
            _insert(table, columns)
        table.execute("COMMIT")
        return table

    def _read(self, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Rows from ``start`` on; where one is no JSON, all of them one by one, without that one."""
        try:
            yield from enumerate(self._rows.rows(start, _AT_ONCE), start)
        except UsageError:
            for number in range(start, min(start + _AT_ONCE, len(self._rows))):
                try:
                    row = self._rows.row(number)
                except UsageError as error:
                    self._skip(str(error))
                else:
                    yield number, row

    def _skip(self, why: str) -> None:
        self.wrong += 1
        if len(self.skipped) < _SHOWN:
            self.skipped.append(why)


def _insert(table: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    if rows:
        names = ", ".join(rows[0])
        marks = ", ".join(f":{name}" for name in rows[0])
        table.executemany(f"INSERT INTO records ({names}) VALUES ({marks})", rows)  # noqa: S608  names are ours
