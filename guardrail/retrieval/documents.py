"""Documents of a folder: text, Markdown, and JSON lines of {"text", and optionally "id", "title"}."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from guardrail.errors import UsageError
from guardrail.types import Passage

SUFFIXES = (".txt", ".md", ".jsonl")
_HEADING = re.compile(r"\s*#[ \t]+(?P<title>[^\n]+?)[ \t#]*(?:\n|\Z)")


class _Document(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    text: str
    id: str | int | None = None
    title: str | None = None


def read_folder(folder: Path) -> tuple[Passage, ...]:
    """All documents below the folder, in the order of their paths; hidden files are left out.

    The id of a document is its path in the folder; of one in a JSONL file its own id, else path and line. The title is
    the first heading of a Markdown file, else the file's name without suffix; in a JSONL file what it says, if at all.

    Raises:
        UsageError: no such folder, nothing in it to read, an id used twice, or a file that cannot be read: says which.
    """
    if not folder.is_dir():
        raise UsageError(f"no folder {str(folder)!r} to retrieve from. Name a folder of {', '.join(SUFFIXES)} files.")
    documents: dict[str, Passage] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file() or _hidden(path, folder):
            continue
        for document in _read(path, path.relative_to(folder).as_posix()):
            if document.id in documents:
                raise UsageError(
                    f"{str(path)!r} has a document with the same id {document.id!r} as one before it in the folder. "
                    "Ids must be unique, or left out."
                )
            if document.text.strip():
                documents[document.id] = document
    if not documents:
        raise UsageError(f"the folder {str(folder)!r} holds no text in {', '.join(SUFFIXES)} files.")
    return tuple(documents.values())


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _read(path: Path, name: str) -> Iterator[Passage]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{str(path)!r} is not UTF-8 text: {error.reason} at byte {error.start}.") from error
    if path.suffix == ".jsonl":
        yield from _lines(text, path, name)
        return
    heading = _HEADING.match(text) if path.suffix == ".md" else None
    yield Passage(id=name, title=heading["title"] if heading else path.stem, text=text)


def _lines(text: str, path: Path, name: str) -> Iterator[Passage]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            document = _Document.model_validate(json.loads(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            problem = f"{where}: {first['msg'].lower()}" if where else first["msg"].lower()
            raise UsageError(f"{str(path)!r}, line {number}: {problem}.") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{str(path)!r}, line {number} is not valid JSON: {error}.") from error
        ident = f"{name}:{number}" if document.id is None else str(document.id)
        yield Passage(id=ident, title=document.title or None, text=document.text)
