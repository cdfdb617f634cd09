"""Models by folder: which reader each one needs, and one load for all guards of the process."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

from guardrail.engines.local.model import MODEL_FOLDER, PACKS, CrossEncoder, Reader
from guardrail.engines.local.packs import PackReader


@lru_cache(maxsize=8)
def reader_class(folder: Path) -> type[Reader]:
    """What reads the model in that folder; nothing is loaded to find out."""
    return PackReader if (folder / PACKS).exists() else CrossEncoder


_LOADED: dict[tuple[Path, int], Reader] = {}
_LOCK = threading.Lock()


def load(folder: Path = MODEL_FOLDER, threads: int = 0) -> Reader:
    """The model in that folder, loaded on first use and shared by all guards of the process."""
    with _LOCK:
        key = (folder, threads)
        if key not in _LOADED:
            _LOADED[key] = reader_class(folder)(folder, threads)
        return _LOADED[key]
