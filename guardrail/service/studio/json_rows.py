"""A file of JSON lines, by row number: only places of rows are kept in memory, however large the file is."""

from __future__ import annotations

import json
from array import array
from pathlib import Path
from typing import Any

from guardrail.errors import UsageError


class JsonRows:
    """Rows of answers or reports (``guardrail check`` reads and writes them).

    Args:
        path: The file; it is read as it stands when this is made.

    Raises:
        UsageError: it cannot be read, or holds no row.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places = array("q")
        try:
            with path.open("rb") as file:
                place = 0
                for line in file:
                    if line.strip():
                        self._places.append(place)
                    place += len(line)
        except OSError as error:
            raise UsageError(f"cannot read {str(path)!r}: {error.strerror}.") from None
        if not self._places:
            raise UsageError(f"{str(path)!r} is empty. It must hold answers or reports, one JSON object a line.")
        self.row(0)  # something else than JSON is refused at the start

    def __len__(self) -> int:
        return len(self._places)

    def row(self, number: int) -> dict[str, Any]:
        """Row ``number``, from 0 on.

        Raises:
            UsageError: there is no such row, or it is no JSON object; the message names its line among the rows.
        """
        return self.rows(number, 1)[0]

    def rows(self, start: int, most: int) -> list[dict[str, Any]]:
        """Up to ``most`` rows from ``start`` on; errors as ``row``."""
        if not 0 <= start < len(self._places):
            raise UsageError(f"there is no row {start}: the file has {len(self._places)}.")
        found = []
        with self.path.open("rb") as file:
            for number in range(start, min(start + most, len(self._places))):
                file.seek(self._places[number])
                found.append(_read(file.readline(), number, self.path))
        return found


def _read(line: bytes, number: int, path: Path) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise UsageError(f"row {number + 1} of {str(path)!r} is no JSON object.")
    return row
