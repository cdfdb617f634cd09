"""The word lists of the rules: words.yaml, read once."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml

_LISTS: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("words.yaml").read_text(encoding="utf-8"))


def words(name: str) -> tuple[str, ...]:
    """The words, or phrases, of a list."""
    found = _LISTS[name]
    return tuple(found.split() if isinstance(found, str) else found)


def table(name: str) -> dict[str, str]:
    """What stands for what."""
    return dict(_LISTS[name])


def pairs(name: str) -> tuple[tuple[str, str], ...]:
    """Pairs written one/two, in both orders."""
    found = (pair.split("/") for pair in words(name))
    return tuple(order for one, two in found for order in ((one, two), (two, one)))
