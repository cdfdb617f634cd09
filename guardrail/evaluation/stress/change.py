"""The nouns of this package: a sentence to change, and what became of it with the stretches that are now wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from guardrail.types import ErrorType, Span

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SMALL_WORD = re.compile(r"\b[a-z][a-z'’-]*")
_MIDDLE_CAPITAL = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]*")


class Change(NamedTuple):
    """A changed sentence; ``spans`` are the stretches of ``text`` that make it wrong, ``rule`` what changed it."""

    kind: ErrorType
    text: str
    spans: tuple[Span, ...]
    rule: str = ""


@dataclass(frozen=True)
class Source:
    """One sentence to change, with the other sentences of its passages."""

    sentence: str
    others: tuple[str, ...] = ()

    @cached_property
    def all(self) -> str:
        """Everything that the passages say, one sentence per line."""
        return "\n".join((self.sentence, *self.others))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numerals in digits that occur anywhere."""
        return frozenset(_NUMBER.findall(self.all))

    @cached_property
    def small(self) -> frozenset[str]:
        """Words that occur somewhere without a capital."""
        return frozenset(_SMALL_WORD.findall(self.all))

    @cached_property
    def names(self) -> frozenset[str]:
        """Words that occur with a capital inside a sentence."""
        return frozenset(_MIDDLE_CAPITAL.findall(self.all))


Rule = Callable[[Source, Random], Iterator[Change]]
"""Ways in which a sentence can be made wrong; yields nothing where it is not sure. Its name stands in its changes."""

Rewording = Callable[[Source, Random], Iterator[str]]
"""Ways to say a sentence otherwise that keep it true."""


def replaced(kind: ErrorType, text: str, start: int, end: int, new: str) -> Change:
    """``text[start:end]`` becomes ``new``, which is the wrong part."""
    return Change(kind, text[:start] + new + text[end:], (Span(start, start + len(new)),))


def swapped(kind: ErrorType, text: str, one: Span, two: Span) -> Change:
    """Two stretches, ``one`` before ``two``, change places; both are wrong then."""
    first, second = one.of(text), two.of(text)
    moved = len(second) - len(first)
    changed = text[: one.start] + second + text[one.end : two.start] + first + text[two.end :]
    late = Span(two.start + moved, two.start + moved + len(first))
    return Change(kind, changed, (Span(one.start, one.start + len(second)), late))


def whole(kind: ErrorType, text: str) -> Change:
    """All of a rebuilt sentence is wrong."""
    return Change(kind, text, (Span(0, len(text)),))


def like(word: str, new: str) -> str:
    """``new`` with a capital where ``word`` has one."""
    return new[:1].upper() + new[1:] if word[:1].isupper() else new
