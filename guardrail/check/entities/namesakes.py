"""Namesakes: the entities among which one spoken name could mean any, and where a text names one of them in full."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guardrail.check.entities.names import is_cjk, may_be_same_name, name_key, same_given, same_surname
from guardrail.check.entities.words import PARTICLES
from guardrail.types import Entity, Span

_TOKEN = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")


@dataclass(frozen=True, slots=True)
class NamesakeGroup:
    """Namesakes, in the order of their first passages; ``name`` is the shortest form of theirs."""

    name: str
    members: tuple[Entity, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The forms of the name that titles and introductions use."""
        return tuple(dict.fromkeys(member.name for member in self.members))

    def bears(self, name: str) -> bool:
        """Whether the family can be called by this name."""
        return any(may_be_same_name(name, own) for own in self.names)


def namesake_groups(entities: Sequence[Entity]) -> tuple[NamesakeGroup, ...]:
    """Sort the entities that share names into families; entities without namesakes are in none."""
    found: list[list[Entity]] = []
    for entity in entities:
        if not entity.shares_name:
            continue
        kin = [family for family in found if any(may_be_same_name(entity.name, member.name) for member in family)]
        found = [family for family in found if family not in kin]
        found.append([*(member for family in kin for member in family), entity])
    ordered = sorted(
        (sorted(family, key=lambda one: one.passages[:1]) for family in found),
        key=lambda family: family[0].passages[:1],
    )
    return tuple(NamesakeGroup(_shortest_name(family), tuple(family)) for family in ordered if len(family) > 1)


def _shortest_name(members: Sequence[Entity]) -> str:
    return min((member.name for member in members), key=lambda name: (len(name_key(name)), len(name)))


def first_mention(text: str, names: Iterable[str]) -> Span | None:
    """The first place where one of the names stands in full, also in a kindred form ("Thomas J. Scott")."""
    tokens: list[tuple[str, Span]] | None = None
    found: list[Span] = []
    for name in names:
        if is_cjk(name) or len(name_key(name)) == 1:
            match = re.search(re.escape(name) if is_cjk(name) else rf"\b{re.escape(name)}\b", text)
            found += [Span(*match.span())] if match else []
            continue
        if tokens is None:
            tokens = [
                (match.group().removesuffix("'s").removesuffix("’s"), Span(*match.span()))
                for match in _TOKEN.finditer(text)
            ]
        found += _full(text, tokens, name_key(name))
    return min(found, key=lambda span: (span.start, -span.end), default=None)


def _full(text: str, tokens: list[tuple[str, Span]], key: tuple[str, ...]) -> list[Span]:
    for index, (word, span) in enumerate(tokens):
        if not key or not word[:1].isupper() or not same_surname((name_key(word) or ("",))[-1], key[-1]):
            continue
        start = None
        for given, place in reversed(tokens[max(0, index - 5) : index]):
            gap = text[place.end : span.start]
            if any(mark in gap for mark in ",;:()[]\n") or not (given[:1].isupper() or given in PARTICLES):
                break
            if same_given((name_key(given) or ("",))[0] or given, key[0]):
                start = place.start
        if start is not None:
            return [Span(start, _extended(text, span.end))]
    return []


def _extended(text: str, end: int) -> int:
    """Further names that follow at once belong to the mention ("Sheila Jackson" + " Lee")."""
    more = re.match(r"(?: (?:(?:de|da|dos|of|von|van) )?[^\W\d_a-z][\w'’-]*)+", text[end:])
    return end + more.end() if more else end
