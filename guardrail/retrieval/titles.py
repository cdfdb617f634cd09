"""What readers call a retrieved document, from the metadata that loaders of LangChain and LlamaIndex write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from urllib.parse import unquote, urlsplit

KEYS = ("title", "file_name", "filename", "source", "file_path", "path", "url", "link")
"""Where a name is looked for, the best first."""

_LONGEST = 120
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://|file:/")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_NAMELESS = re.compile(
    r"(?:tmp[\w-]*|(?:[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})|[0-9a-f]{32,}|\d+)(?:\.\w{1,5})?"
)


def title_of(metadata: object) -> str | None:
    """The title that the metadata say, else the name of the file, or the address of the page, that it comes from.

    Of a path only the last part is told, of an address no user, no query and no fragment: titles are shown to readers.
    Names that say nothing (of temporary files, hashes, numbers) are none.

    Args:
        metadata: Of the document; anything but a mapping of names has no title.
    """
    if not isinstance(metadata, Mapping):
        return None
    for key in KEYS:
        value = metadata.get(key)
        if isinstance(value, str) and (said := " ".join(value.split())):
            name = said if key == "title" and not _is_place(said) else _name(said)
            if name and len(name) <= _LONGEST and not (key != "title" and _NAMELESS.fullmatch(name.casefold())):
                return name
    return None


def _is_place(text: str) -> bool:
    """Whether it is a path or an address; a title may hold a slash ("Income/Expenses 2024")."""
    return bool(_SCHEME.match(text) or _WINDOWS.match(text)) or text.startswith(("/", "~/", "./", "../"))


def _name(place: str) -> str:
    if _SCHEME.match(place):
        try:
            parts = urlsplit(place)
            host = parts.hostname or ""
        except ValueError:
            return ""
        path = unquote(parts.path).strip("/")
        if parts.scheme.lower() in ("http", "https"):
            return f"{host}/{path}" if path else host
        return PurePosixPath(path).name  # files, buckets
    if "\\" in place:
        return PureWindowsPath(place).name
    return PurePosixPath(place).name
