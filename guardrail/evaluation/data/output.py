"""Files that the commands write: refused before the work where they cannot or must not be written, else whole."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from guardrail.errors import UsageError

STANDARD_OUTPUT = "-"


def refuse_unwritable(target: Path, sources: Iterable[Path], *, others: Iterable[Path] = ()) -> None:
    """Before minutes of work: ``target`` can be written, and is none of the files read or written besides.

    Args:
        target: a file to write; a command that takes '-' for standard output does not ask about it here.
        sources: files, not folders, that the command reads.
        others: further files that the command writes.

    Raises:
        UsageError: says which of these it is.
    """
    name = repr(str(target))
    if str(target) == STANDARD_OUTPUT:
        raise UsageError(f"{name} stands for standard output, which is not possible here. Name a file.")
    if target.is_dir():
        raise UsageError(f"cannot write {name}: it is a folder. Name a file in it.")
    real = _real(target)
    if not real.parent.is_dir():
        raise UsageError(f"cannot write {name}: there is no folder {str(real.parent)!r}. Make it first.")
    if _replaceable(real) and not os.access(real.parent, os.W_OK):
        raise UsageError(f"cannot write {name}: its folder is not writable. Name another.")
    if real.exists() and not os.access(real, os.W_OK):
        raise UsageError(f"cannot write {name}: it is write-protected. Name another file.")
    if any(_same(real, source) for source in sources):
        raise UsageError(f"{name} is the input itself. Name another file to write.")
    if any(_same(real, other) for other in others):
        raise UsageError(f"{name} is named for two outputs. Name another file for one of them.")


def write_whole(path: Path, text: str) -> None:
    """Write all of ``text`` as UTF-8, or nothing: the file is complete when it appears. Lone surrogates are escaped.

    Raises:
        UsageError: the file cannot be written; what was there before is kept.
    """
    try:
        real = _real(path)
        if _replaceable(real):
            _replace(real, text)
        else:
            _fill(path, text)
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}.") from error


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".guardrail.")
    try:
        os.close(handle)
        _fill(Path(name), text)
        Path(name).chmod(_mode(path))
        Path(name).replace(path)
    except BaseException:  # Ctrl-C too
        Path(name).unlink(missing_ok=True)
        raise


def _fill(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
        out.write(text)


def _mode(path: Path) -> int:
    """Permissions of the file that is replaced, else those of any new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _replaceable(path: Path) -> bool:
    """A pipe or device (``/dev/stdout``, ``>(…)``) must be written into, not replaced."""
    return path.is_file() or not path.exists()


def _real(path: Path) -> Path:
    """Where a link leads: the file behind it is written, and the link stays."""
    return Path(os.path.realpath(path))


def _same(real: Path, other: Path) -> bool:
    if real.exists() and other.exists():
        return real.samefile(other)
    return real == _real(other)
