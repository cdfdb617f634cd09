"""Prompts: instructions from versioned files, and data between fences that nothing inside it can close or imitate.

Instructions stand in ``prompts/<name>.<language>.md``: the first line is ``version: N``, the rest the system message; a
text never changes without a new version. Answers, passages and questions are texts of strangers. Each goes in as JSON
on one line, so no text of theirs starts a line. Brackets of fences, tags and control tokens of chat templates are
escaped, and so are characters that no reader sees but a model may read (tags, direction marks, control characters): all
stay what they are once the JSON is read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, TypeVar

from pydantic import BaseModel

from guardrail.engines.llm.protocol import Prompt
from guardrail.engines.llm.replies import json_schema

LANGUAGES = ("en", "zh")

Block = tuple[str, Any]
"""Name and value of the data in one fence."""

T = TypeVar("T")

LEAST_TOKENS = 512
"""That a reply may always have, however little is asked."""
POINTS_A_CALL = 60
"""A judge that has more to fill in than this loses its place, and its reply outgrows what models may write."""
_MOST_TOKENS = 16_000
"""Of a reply; most endpoints refuse to be asked for more."""
_NAME = re.compile(r"[a-z_]+")
_SURROGATES = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(
    "[<>\uff1c\uff1e\ufe64\ufe65"  # angle brackets, and those that are normalised to them
    "\x7f-\x9f\u2028\u2029"  # control characters that JSON leaves alone; two of them end lines
    "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"  # unseen
    r"|\[(?=/?[gs]?[A-Z][A-Z_]+\])"  # "[INST]", "[/INST]", "[gMASK]"; brackets of JSON never stand before such words
)


def ask(name: str, language: str, reply: type[BaseModel], blocks: Iterable[Block], max_tokens: int = 4096) -> Prompt:
    """One request: the instructions of that name and language, the data in the order given, the form of the reply."""
    text = instructions(name, language)
    return Prompt(
        identity=text.identity,
        system=text.text,
        user="\n\n".join(fence(label, value) for label, value in blocks),
        schema=json_schema(reply),
        max_tokens=min(max_tokens, _MOST_TOKENS),
    )


def in_calls(items: Iterable[T], points: Callable[[T], int]) -> list[list[T]]:
    """The items in order, in as few calls as POINTS_A_CALL allows; one with more points has a call of its own."""
    batches: list[list[T]] = []
    filled = 0
    for item in items:
        size = points(item)
        if not batches or filled + size > POINTS_A_CALL:
            batches.append([])
            filled = 0
        batches[-1].append(item)
        filled += size
    return batches


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


def fence(name: str, value: Any) -> str:
    """``value`` as one line of JSON inside a fence.

    Args:
        name: Lower-case letters and underscores; the instructions speak of the data by it.
        value: Anything that JSON can hold; lone surrogates, which UTF-8 cannot, become U+FFFD.

    Raises:
        ValueError: ``name`` is made of anything else.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"name of a fence must be lower-case letters and underscores, got {name!r}.")
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    safe = _ESCAPED.sub(_escape, _SURROGATES.sub("\ufffd", text))
    return f'<data name="{name}">\n{safe}\n</data>'


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{int.from_bytes(units[n : n + 2], 'big'):04x}" for n in range(0, len(units), 2))
