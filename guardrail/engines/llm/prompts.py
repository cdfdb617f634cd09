"""Prompt files: instructions in English and Chinese, each with a version; texts never change without a new one.

A file is ``prompts/<name>.<language>.md``: the first line is ``version: N``, the rest the system message.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Instructions:
    """A prompt file as read; ``identity`` is its name, language, version and a hash of its text."""

    text: str
    identity: str


@lru_cache
def instructions(name: str, language: str) -> Instructions:
    """The instructions of that name.

    Args:
        name: Such as ``judge``.
        language: One of LANGUAGES.
    """
    text = resources.files(__package__).joinpath("prompts", f"{name}.{language}.md").read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    label, _, version = first.partition(":")
    if label != "version" or not version.strip().isdecimal():
        raise ValueError(f"prompt {name}.{language} must start with 'version: N', got {first!r}.")
    digest = hashlib.sha256(rest.encode()).hexdigest()[:12]
    return Instructions(text=rest.strip(), identity=f"{name}.{language}.v{version.strip()}.{digest}")
