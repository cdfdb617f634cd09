"""The label file, written: each label is on the disk before anybody is told that it is kept.

Lines are only ever appended, under a lock that other processes honour, so any number of tabs and studios may write one
file. What others appended is read before every look.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from guardrail.errors import UsageError
from guardrail.evaluation.data.label_rows import FIRST, add_row, item_row, label_row
from guardrail.evaluation.data.rows import RowError
from guardrail.evaluation.labels import Item, Label, Labels

try:
    import fcntl
except ImportError:  # Windows: appends of one process do not mix either; two studios must not share a file there
    fcntl = None  # type: ignore[assignment]

_log = logging.getLogger("guardrail.service.studio")


class Journal:
    """One label file, and what it says now.

    Args:
        path: The file; made at the first label, for its owner alone.

    Raises:
        UsageError: it cannot be read, or is no label file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._begin()
        with self.read():
            pass

    def _begin(self) -> None:
        self._labels = Labels()
        self._place = self._lines = 0
        self._file: tuple[int, int] | None = None

    @contextmanager
    def read(self) -> Iterator[Labels]:
        """What the file says now; nobody else of this process changes it meanwhile. Not to be kept.

        Raises:
            UsageError: it cannot be read, or was changed by other means than a studio.
        """
        with self._lock:
            self._follow()
            yield self._labels

    def append(self, item: Item, label: Label) -> None:
        """Put a label on the disk, and before it the answer where the file does not hold it yet.

        Raises:
            UsageError: the file holds another answer under this id, or it cannot be written: then nothing was kept.
        """
        self._append(lambda _: (item, label))

    def undo(self, by: str, key: str, at: float) -> Label | None:
        """Take back the last label of this person by one with this key, which says what was said before.

        Returns:
            What was written; None where there was nothing to take back.

        Raises:
            UsageError: as ``append``.
        """

        def restored(labels: Labels) -> tuple[Item, Label] | None:
            last = labels.last(by)
            if last is None:
                return None
            before = labels.before(last)
            nothing = replace(last, label=None, error_type=None, error_spans=(), evidence=())
            return labels.items[last.item], replace(before or nothing, key=key, at=at, undoes=last.key)

        return self._append(restored)

    def _append(self, decide: Callable[[Labels], tuple[Item, Label] | None]) -> Label | None:
        with self._lock:
            try:
                with _opened(self.path) as handle:
                    _mend(handle, self.path)
                    self._follow()
                    decided = decide(self._labels)
                    if decided is None:
                        return None
                    _write(handle, self._rows(*decided))
            except OSError as error:
                raise UsageError(
                    f"the label could not be written to {str(self.path)!r}: {error.strerror or error}. It is not kept; "
                    "make room or give the right to write, and label again."
                ) from error
            self._follow()
            return decided[1]

    def _rows(self, item: Item, label: Label) -> list[dict[str, Any]]:
        known = self._labels.items.get(item.id)
        if known is not None and known.answer != item.answer:
            raise UsageError(
                f"{self.path.name!r} holds another answer with the id {item.id!r:.80}. Give each answer an id of its "
                "own, or name another label file."
            )
        begin = [dict(FIRST)] if self._place == 0 else []
        return [*begin, *([] if known else [item_row(item)]), label_row(label)]

    def _follow(self) -> None:
        """Read what was appended since the last look; a line without an end is still being written."""
        try:
            with self.path.open("rb") as file:
                self._begin_anew(os.fstat(file.fileno()))
                file.seek(self._place)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    self._lines += 1
                    if line.strip():
                        self._add(line)
                    self._place += len(line)
        except FileNotFoundError:
            self._begin()
        except OSError as error:
            raise UsageError(f"cannot read {str(self.path)!r}: {error.strerror or error}.") from error

    def _begin_anew(self, found: os.stat_result) -> None:
        """Forget what was read from a file that is another one now, or was cut."""
        identity = (found.st_dev, found.st_ino)
        if self._file != identity or found.st_size < self._place:
            self._begin()
            self._file = identity

    def _add(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            if not isinstance(row, dict) or (self._lines == 1 and "format" not in row):
                raise RowError("is no line of a label file")
            add_row(self._labels, row)
        except (ValueError, RecursionError) as error:
            line_number, self._lines = self._lines, self._lines - 1
            raise UsageError(
                f"{str(self.path)!r}, line {line_number}: {error}. The studio cannot go on with a label file that was "
                "changed otherwise; mend the line, or name another file."
            ) from None


def _write(handle: int, rows: Sequence[dict[str, Any]]) -> None:
    """All lines at once, and on the disk before this returns; on failure none of them."""
    data = "".join(json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n" for row in rows).encode()
    begin = os.lseek(handle, 0, os.SEEK_END)
    try:
        written = 0
        while written < len(data):
            written += os.write(handle, data[written:])
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, begin)
        raise


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """The file, to append to, for this process alone."""
    new = not path.exists()
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)  # ends the lock
    if new and hasattr(os, "O_DIRECTORY"):
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """The name of a new file, too, must be on the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _mend(handle: int, path: Path) -> None:
    """Cut off a last line that a crash broke off: nobody was told that it is kept."""
    size = os.lseek(handle, 0, os.SEEK_END)
    end, tail = size, b""
    while end > 0 and b"\n" not in tail:
        step = min(end, 65_536)
        end -= step
        tail = os.pread(handle, step, end) + tail if hasattr(os, "pread") else b"\n"
    torn = tail.rpartition(b"\n")[2]
    if not torn:
        return
    try:
        json.loads(torn)
    except ValueError:
        _log.warning("%s ended in the middle of a line; it is cut off", path)
        os.ftruncate(handle, size - len(torn))
    else:  # whole, but for its end: somebody's editor
        os.write(handle, b"\n")
