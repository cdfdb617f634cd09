"""Passages of requests, kept until their answers come: gateways ask about both, and send the passages once.

One SQLite file that all workers share, bounded in number, bytes and age. Nothing in it outlives its time: it holds
texts of users.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from guardrail.check.threads import in_thread
from guardrail.errors import ConfigurationError
from guardrail.service.keys import client
from guardrail.telemetry.sqlite_file import write_ahead
from guardrail.types import Passage

if TYPE_CHECKING:
    from guardrail.retrieval.request.found import Evidence
    from guardrail.service.service import Service

_PATIENCE = 5.0
_TIDY_EVERY = 64
_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, at REAL NOT NULL, size INTEGER NOT NULL, said TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS calls_at ON calls (at);
CREATE TABLE IF NOT EXISTS lengths (key TEXT PRIMARY KEY, at REAL NOT NULL, length INTEGER NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Call:
    """What a request brought for its answer."""

    passages: tuple[Passage, ...] = ()
    question: str | None = None

    @classmethod
    def of(cls, evidence: Evidence) -> Call:
        """What the evidence resolver found."""
        return cls(evidence.passages, evidence.question)

    def to_json(self) -> str:
        """For ``from_json``."""
        return json.dumps({"passages": [asdict(p) for p in self.passages], "question": self.question})

    @classmethod
    def from_json(cls, said: str) -> Call:
        """The call again."""
        raw = json.loads(said)
        return cls(tuple(Passage(**p) for p in raw["passages"]), raw["question"])


class CallStore:
    """Calls by the ids that gateways give them; each client finds its own only.

    Args:
        path: The file; None = the memory of this process.
        seconds: Age at which a call is forgotten.
        most: Calls at most; the oldest go first.
        most_bytes: Bytes of all calls together.
        clock: Unix seconds.

    Raises:
        ConfigurationError: the file cannot be made.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        seconds: float = 900.0,
        most: int = 20_000,
        most_bytes: int = 256 * 1024 * 1024,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._seconds, self._most, self._most_bytes, self._clock = seconds, most, most_bytes, clock
        self._lock = threading.Lock()
        self._writes = 0
        try:
            if path is not None:
                path.touch(mode=0o600)
            self._file = sqlite3.connect(
                path or ":memory:", timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            if path is not None:
                write_ahead(self._file, _PATIENCE)
                self._file.execute("PRAGMA synchronous = OFF")  # what a crash loses is of requests that it lost, too
            self._file.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise ConfigurationError(f"cannot keep calls in {str(path)!r}: {error}. Name another file.") from error

    async def keep(self, kind: str, idents: Sequence[str], call: Call) -> None:
        """Remember what a request brought, under all its ids."""
        keys = _keys(kind, idents)
        await _away(lambda: self._keep(keys, call.to_json()))

    async def find(self, kind: str, idents: Sequence[str]) -> Call | None:
        """What the request brought that has the first of these ids that is known."""
        keys = _keys(kind, idents)
        found: Call | None = await _away(lambda: self._find(keys))
        return found

    async def longest(self, kind: str, ident: str, length: int) -> bool:
        """Whether no worker has seen a longer text of this answer; remembers it."""
        (key,) = _keys(kind, [ident])
        is_longest: bool = await _away(lambda: self._longest(key, length))
        return is_longest

    def count(self) -> int:
        """Calls that are kept."""
        with self._lock:
            return int(self._file.execute("SELECT count(*) FROM calls").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    async def aclose(self) -> None:
        """The same, awaited."""
        await _away(self.close)

    def _keep(self, keys: Sequence[str], said: str) -> None:
        now = self._clock()
        with self._lock:
            for key in keys:
                self._file.execute(
                    "INSERT INTO calls VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
                    "at = excluded.at, size = excluded.size, said = excluded.said",
                    (key, now, len(said), said),
                )
            self._writes += 1
            if self._writes % _TIDY_EVERY == 1:
                self._tidy(now)

    def _find(self, keys: Sequence[str]) -> Call | None:
        oldest = self._clock() - self._seconds
        with self._lock:
            for key in keys:
                row = self._file.execute("SELECT said FROM calls WHERE key = ? AND at >= ?", (key, oldest)).fetchone()
                if row is not None:
                    return Call.from_json(row[0])
        return None

    def _longest(self, key: str, length: int) -> bool:
        with self._lock:
            row = self._file.execute(
                "INSERT INTO lengths VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET at = excluded.at, "
                "length = max(length, excluded.length) RETURNING length",
                (key, self._clock(), length),
            ).fetchone()
        return int(row[0]) == length

    def _tidy(self, now: float) -> None:
        """Forget what is too old, then the oldest of what is too much."""
        for table in ("calls", "lengths"):
            self._file.execute(f"DELETE FROM {table} WHERE at < ?", (now - self._seconds,))  # noqa: S608  two names of ours
            self._file.execute(
                f"DELETE FROM {table} WHERE key IN (SELECT key FROM {table} ORDER BY at DESC LIMIT -1 OFFSET ?)",  # noqa: S608
                (self._most,),
            )
        self._file.execute(
            "DELETE FROM calls WHERE key IN (SELECT key FROM "
            "(SELECT key, sum(size) OVER (ORDER BY at DESC, key) AS with_newer FROM calls) WHERE with_newer > ?)",
            (self._most_bytes,),
        )


_STORES: WeakKeyDictionary[Service, CallStore] = WeakKeyDictionary()


def calls_of(service: Service) -> CallStore:
    """The store of a service: one for all dialects."""
    if service not in _STORES:
        kept = service.settings.calls
        path = kept.path if kept.path is None else service.settings.folder / kept.path
        if path is None and service.settings.workers > 1:
            path = _common_file(f"{service.settings.source}:{service.settings.host}:{service.settings.port}")
        store = CallStore(path, seconds=kept.seconds, most=kept.most, most_bytes=kept.most_bytes)
        service.closing.append(store.aclose)
        _STORES[service] = store
    return _STORES[service]


def _common_file(name: str) -> Path:
    """A file that all workers of one service find, and nobody else may read."""
    folder = Path(tempfile.gettempdir()) / f"guardrail-{os.getuid() if hasattr(os, 'getuid') else 'calls'}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and (folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077):
        raise ConfigurationError(f"{str(folder)!r} is not this user's alone. Set calls.path to a file of your own.")
    return folder / f"calls-{hashlib.sha256(name.encode()).hexdigest()[:16]}.db"


def _keys(kind: str, idents: Sequence[str]) -> list[str]:
    """Hashes: an id may be of any length, and says nothing to who reads the file."""
    who = client.get().name
    return [hashlib.sha256(json.dumps([who, kind, ident]).encode()).hexdigest() for ident in idents]


async def _away(work: Callable[[], Any]) -> Any:
    """The work in a thread: another process may be writing."""
    return await asyncio.wrap_future(in_thread(work))
