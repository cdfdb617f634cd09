"""Rows of JSON lines, also compressed, and of ``.json`` files that hold one list."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import BufferedReader
from typing import Any

from guardrail.audit.columns import excerpt_of
from guardrail.audit.sources.paths import File, file_system, name_of
from guardrail.audit.sources.source import Piece, Raw

PIECE_BYTES = 8 << 20
_BUFFER = 1 << 17
_PACKED = (".gz", ".zst", ".bz2")


def pieces(file: File, *, whole: bool = False) -> Iterator[Piece]:
    """Pieces of about 8 MiB; one where the file is compressed, one list, or ``whole`` is asked for."""
    if whole or name_of(file.uri).endswith((".json", *_PACKED)) or file.size <= PIECE_BYTES:
        yield Piece(path=file.uri, size=file.size)
        return
    for number, start in enumerate(range(0, file.size, PIECE_BYTES)):
        end = min(start + PIECE_BYTES, file.size)
        yield Piece(path=file.uri, size=end - start, number=number, start=start, end=end)


def rows(piece: Piece) -> Iterator[Raw]:
    """The rows of a piece; a line that is wrong is a Raw with its error, and so is what a broken file still held."""
    read = 0.0
    try:
        for raw in _listed(piece) if name_of(piece.path).endswith(".json") else _lines(piece):
            read += raw.size
            yield raw
    except OSError as error:
        yield Raw(place=piece.path, size=max(0.0, piece.size - read), error=f"cannot be read on: {error}", rows=None)


def _lines(piece: Piece) -> Iterator[Raw]:
    """Lines that begin in the piece; a place is the file and the byte, or for packed files the line."""
    system, path = file_system(piece.path)
    packed = path.endswith(_PACKED)
    opened = system.open_input_stream(path) if packed else system.open_input_file(path)
    with BufferedReader(opened, _BUFFER) as lines:
        place = piece.start
        if place:  # the line that begins before this piece belongs to the one before
            lines.seek(place - 1)
            place += len(lines.readline()) - 1
        for number, line in enumerate(lines, 1):
            if piece.end is not None and place >= piece.end:
                return
            name = f"{piece.path}@{place}" if piece.number else f"{piece.path}:{number}"
            place += len(line)
            if line.strip():
                yield _parsed(line, name, 0.0 if packed else float(len(line)))


def _parsed(line: bytes, place: str, size: float) -> Raw:
    try:
        row = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        shown = line[:200].decode("utf-8", "replace")
        what = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"is not valid JSON: {error}"
        return Raw(place=place, size=size, error=what, excerpt=shown)
    return _object(row, place, size)


def _listed(piece: Piece) -> Iterator[Raw]:
    system, path = file_system(piece.path)
    with system.open_input_stream(path) as handle:
        text = handle.read()
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        # Many tools write one record a line and call it .json.
        lines = text.splitlines()
        first: object = None
        with suppress(ValueError, RecursionError):
            first = json.loads(lines[0]) if len(lines) > 1 else None
        if isinstance(first, dict):
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _parsed(line, f"{piece.path}:{number}", piece.size / len(lines))
            return
        yield Raw(place=piece.path, size=piece.size, error=f"is not valid JSON: {error}", rows=None)
        return
    items = items if isinstance(items, list) else [items]
    for number, item in enumerate(items, 1):
        yield _object(item, f"{piece.path}:{number}", piece.size / len(items))


def _object(row: Any, place: str, size: float) -> Raw:
    if not isinstance(row, Mapping):
        kind = type(row).__name__
        return Raw(place=place, size=size, error=f"must be a JSON object, got {kind}", excerpt=excerpt_of(row))
    return Raw(place=place, size=size, row=row)
