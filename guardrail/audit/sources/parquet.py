"""Rows of Parquet files, a row group at a time and of that some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

from guardrail.audit.sources.paths import File, file_system
from guardrail.audit.sources.source import Piece, Raw

_AT_ONCE = 256
_BUFFER = 4 << 20
"""Bytes read at once of a column. Without it pyarrow holds whole row groups, which are gigabytes in many logs."""


def pieces(file: File, *, whole: bool = False) -> Iterator[Piece]:
    """A piece per row group, or one for the ``whole`` file.

    A file that cannot be opened is one piece, which says why when it is read.
    """
    from pyarrow import ArrowException, parquet

    if whole:
        yield Piece(path=file.uri, size=file.size, number=-1)
        return
    system, path = file_system(file.uri)
    try:
        with system.open_input_file(path) as handle:
            groups = parquet.ParquetFile(handle).metadata.num_row_groups
    except (OSError, ArrowException):
        groups = 1
    for number in range(groups):
        yield Piece(path=file.uri, size=file.size / groups, number=number)


def rows(piece: Piece) -> Iterator[Raw]:
    """The rows of a piece; what cannot be read is one Raw with its error."""
    from pyarrow import ArrowException, parquet

    system, path = file_system(piece.path)
    done, left = 0, None
    try:
        with system.open_input_file(path) as handle:
            file = parquet.ParquetFile(handle, buffer_size=_BUFFER)
            groups = range(file.metadata.num_row_groups) if piece.number < 0 else [piece.number]
            left = sum(file.metadata.row_group(n).num_rows for n in groups)
            before = sum(file.metadata.row_group(n).num_rows for n in range(piece.number))
            for batch in file.iter_batches(_AT_ONCE, row_groups=list(groups)):
                for row in batch.to_pylist():
                    done += 1
                    yield Raw(place=f"{piece.path}:{before + done}", size=piece.size / left, row=row)
    except (OSError, ArrowException, ValueError) as error:
        lost = None if left is None else left - done
        yield Raw(
            place=piece.path if piece.number < 0 else f"{piece.path}: row group {piece.number}",
            size=piece.size if not left else piece.size * (left - done) / left,
            error=f"cannot be read: {str(error).splitlines()[0] if str(error) else type(error).__name__}",
            rows=lost,
        )
