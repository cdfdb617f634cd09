"""A YAML (or JSON) file that holds one mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from guardrail.errors import ConfigurationError
from guardrail.policy.file import UniqueKeyLoader


def read_mapping(path: Path) -> dict[str, Any]:
    """What the file says; an empty one says nothing.

    Raises:
        ConfigurationError: it cannot be read, is not YAML, holds a key twice, or no mapping.
    """
    where = f"settings file {str(path)!r}"
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), UniqueKeyLoader)  # noqa: S506  a SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"cannot read {where}: {said}") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{where} is not valid YAML: {_place(error)}") from None
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    if raw is None:
        return {}
    if not isinstance(raw, dict) or not all(isinstance(key, str) for key in raw):
        raise ConfigurationError(f"{where} must hold a mapping of names to values.")
    return raw


def _place(error: yaml.YAMLError) -> str:
    """What and where, without the line itself: it may hold a secret."""
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or "it cannot be read"
    return said if mark is None else f"{said} in line {mark.line + 1}"
