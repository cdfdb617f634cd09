"""What must not be paid twice: the batches under way and the replies that came, in a file that outlives kill -9."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from guardrail.engines.llm.protocol import Completion, LLMError, Reply
from guardrail.errors import UsageError
from guardrail.types import Cause

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS batches (
    intent TEXT PRIMARY KEY, id TEXT, address TEXT NOT NULL, made REAL NOT NULL, keys TEXT NOT NULL
);
"""
_NAMES = frozenset(each.name for each in fields(Completion))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBatch:
    """A batch that was begun; ``id`` is None where the process ended before the provider had given one.

    ``sure``: the provider gave the id to this process; another id may be that of somebody else's batch.
    """

    intent: str
    id: str | None
    made: float
    keys: frozenset[str]
    sure: bool = False


class BatchState:
    """A file of SQLite, held by one process at a time; it holds replies of the model, no prompts, no keys.

    Args:
        path: Made if it is not there (for the owner alone).

    Raises:
        UsageError: it cannot be made or read, or another process holds it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._link = sqlite3.connect(self.path, timeout=0.0, isolation_level=None, check_same_thread=False)
            self._hold()
        except (OSError, sqlite3.Error) as error:
            busy = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
            why = "another run is at work with it" if busy else "it cannot be read or written"
            raise UsageError(
                f"the batch state {str(self.path)!r}: {why}. Wait for it, or name another file."
            ) from error

    def _hold(self) -> None:
        # EXCLUSIVE: the lock of the first write is kept until the file is closed or the process ends, however it does.
        for statement in ("PRAGMA locking_mode = EXCLUSIVE", "PRAGMA synchronous = FULL", "BEGIN EXCLUSIVE", "COMMIT"):
            self._link.execute(statement).fetchall()
        self._link.executescript(_SCHEMA)

    def reply(self, key: str) -> Reply | None:
        """What the model said to this request, if it is known."""
        with self._lock:
            row = self._link.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else _read(row[0])

    def keep(self, replies: Mapping[str, Reply]) -> None:
        """Remember replies, all or none."""
        rows = [(key, _written(reply)) for key, reply in replies.items()]
        with self._lock:
            self._link.execute("BEGIN")
            self._link.executemany("INSERT OR REPLACE INTO replies (key, reply) VALUES (?, ?)", rows)
            self._link.execute("COMMIT")

    def begin(self, intent: str, address: str, keys: Iterable[str]) -> None:
        """A batch of these requests is about to be sent."""
        row = (intent, None, address, time.time(), json.dumps(list(keys)))
        with self._lock:
            self._link.execute("INSERT INTO batches (intent, id, address, made, keys) VALUES (?, ?, ?, ?, ?)", row)

    def submitted(self, intent: str, batch: str) -> None:
        """The provider took it."""
        with self._lock:
            self._link.execute("UPDATE batches SET id = ? WHERE intent = ?", (batch, intent))

    def others(self, intent: str) -> frozenset[str]:
        """Ids of the batches under way but this one."""
        with self._lock:
            rows = self._link.execute("SELECT id FROM batches WHERE intent != ? AND id IS NOT NULL", (intent,))
            return frozenset(ident for (ident,) in rows)

    def end(self, intent: str) -> None:
        """Nothing more will come of it."""
        with self._lock:
            self._link.execute("DELETE FROM batches WHERE intent = ?", (intent,))

    def open_batches(self, address: str) -> tuple[OpenBatch, ...]:
        """What is under way at this endpoint, the oldest first."""
        with self._lock:
            rows = self._link.execute(
                "SELECT intent, id, made, keys FROM batches WHERE address = ? ORDER BY made", (address,)
            ).fetchall()
        return tuple(
            OpenBatch(intent=intent, id=ident, made=made, keys=frozenset(json.loads(keys)))
            for intent, ident, made, keys in rows
        )

    def close(self, *, remove: bool) -> None:
        """Let go of the file; ``remove``: and delete it, unless a batch is under way."""
        with self._lock:
            under_way = self._link.execute("SELECT count(*) FROM batches").fetchone()[0]
            self._link.close()
        if remove and not under_way:
            with suppress(OSError):
                self.path.unlink()


def _written(reply: Reply) -> str:
    if isinstance(reply, LLMError):
        spent = None if reply.spent is None else asdict(reply.spent)
        return json.dumps({"error": str(reply), "cause": reply.cause.value, "spent": spent})
    return json.dumps(asdict(reply))


def _read(text: str) -> Reply | None:
    """What was written; None for what another version wrote, which is then asked again."""
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        raw = json.loads(text)
        if "error" in raw:
            spent = raw["spent"] and Completion(**raw["spent"])
            return LLMError(raw["error"], cause=Cause(raw["cause"]), spent=spent)
        if raw.keys() <= _NAMES:
            return Completion(**raw)
    return None
