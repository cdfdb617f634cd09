"""Which segments a reader without prior knowledge takes to be about one individual."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from guardrail.check.entities import cues
from guardrail.check.entities.cues import Cues
from guardrail.check.entities.names import name_key, roles
from guardrail.check.entities.namesakes import NamesakeGroup, first_mention, namesake_groups
from guardrail.types import Entity, EntityGroup, Segment

_PRONOUN = re.compile(r"^\s*(?:(?:he|she|his|her|they|their|it|its)\b|[他她它]|其(?![他它余实次]))", re.IGNORECASE)


@dataclass(slots=True)
class _Person:
    """What the answer has said so far of one individual."""

    family: NamesakeGroup | None
    name: str
    segments: list[str] = field(default_factory=list)
    tag: str = ""
    born: str = ""
    forms: set[tuple[str, ...]] = field(default_factory=set)
    roles: frozenset[str] = frozenset()
    introduced: bool = False
    named: bool = False  # ``name`` is as the answer writes it


def group(segments: Sequence[Segment], answer: str, entities: Sequence[Entity]) -> tuple[EntityGroup, ...]:
    """Sort checked segments by the individual that a reader without prior knowledge sees (D-FActScore, section 4).

    Another individual begins with "another", "the second", a parenthesis after the name, or a new introduction by
    full name that does not fit the present one. Pronouns, surnames, "also" and contradictory dates go on with the
    present one. Sentences that only say that several bear the name come in a group without a name.

    Args:
        segments: All segments of the answer in order; skipped ones are read for cues but not grouped.
        answer: The whole answer, to which the spans belong.
        entities: What ``cluster`` found; where no name is shared, all segments are one group without a name.

    Returns:
        Groups in order of first mention; each checked segment is in exactly one.
    """
    kin = namesake_groups(entities)
    ordered = sorted(segments, key=lambda segment: segment.span)
    checked = [segment for segment in ordered if segment.skipped is None]
    names = [name for family in kin for name in family.names]
    if not checked:
        return ()
    if not kin or not (first_mention(answer, names) or _about_one(kin, entities, answer)):
        return (EntityGroup(id="g1", name="", segments=tuple(segment.id for segment in checked)),)
    return _Reader(kin, answer, names, entities).read(ordered)


def _about_one(kin: Sequence[NamesakeGroup], entities: Sequence[Entity], answer: str) -> bool:
    """An answer that begins with a pronoun, over passages of nobody but one family, speaks of that family."""
    return len(kin) == 1 and len(kin[0].members) == len(entities) and bool(_PRONOUN.match(answer))


class _Reader:
    """Reads the segments in order and remembers whom they were about; lives for one answer."""

    def __init__(
        self, kin: tuple[NamesakeGroup, ...], answer: str, names: list[str], entities: Sequence[Entity]
    ) -> None:
        self._kin = kin
        self._answer = answer
        self._names = names
        self._others = list(
            dict.fromkeys(one.name for one in entities if not one.shares_name and len(name_key(one.name)) > 1)
        )
        self._people: list[_Person] = []
        self._several = _Person(None, "")
        self._current: _Person | None = None
        self._announced = False

    def read(self, segments: Sequence[Segment]) -> tuple[EntityGroup, ...]:
        end = 0
        for segment in segments:
            text = segment.span.of(self._answer)
            who = self._whom(text, self._answer[min(end, segment.span.start) : segment.span.start])
            if segment.skipped is None:
                who.segments.append(segment.id)
            end = segment.span.end
        found = [who for who in (self._several, *self._people) if who.segments]
        return tuple(
            EntityGroup(id=f"g{number}", name=who.name, segments=tuple(who.segments))
            for number, who in enumerate(found, start=1)
        )

    def _whom(self, text: str, before: str) -> _Person:
        said = cues.read(text, before, self._names)
        if said.announces and not said.tag:
            self._announced = True
            return self._several
        if self._other_name(text, said):
            return self._new(None, said, text)
        if self._current is None:
            speaks = said.mention or said.another or said.ordinal is not None or _PRONOUN.match(text)
            return self._several if self._announced and not speaks else self._new(self._family(text, said), said, text)
        if said.ordinal is not None and (self._announced or len(self._people) > 1 or said.mention):
            return (
                self._back(said.ordinal)
                if said.ordinal < len(self._people)
                else self._new(self._family(text, said), said, text)
            )
        known = self._known(said, text)
        if known is not None:
            return known
        if self._is_new(said, text):
            return self._new(self._family(text, said), said, text)
        self._learn(self._current, said, text)
        return self._current

    def _is_new(self, said: Cues, text: str) -> bool:
        now = self._current
        several = len(self._people) > 1
        if now is None:
            return True
        if said.another and (self._announced or several or said.mention or cues.of_person(text)):
            return True  # but not "Another was his ..." in the account of one person
        if said.mention is None or not said.opens:
            return False
        if now.family is None and said.described:
            return True
        if said.tag:
            return not (now.roles & roles(said.tag)) or bool(now.tag)
        if not (said.described or said.listed or (said.also and several)):
            return False
        if said.listed:
            return now.introduced
        if said.born and now.born:
            return said.born != now.born
        if said.roles and now.roles:
            return not said.roles & now.roles
        form = name_key(said.mention.of(cues.body(text)))
        if now.introduced and form not in now.forms and (len(form) > 2 or several):
            return True
        return now.introduced and (self._announced or several) and bool(said.born or said.roles)

    def _known(self, said: Cues, text: str) -> _Person | None:
        """Somebody introduced before, named again by parenthesis, birth year or full form of the name."""
        if said.mention is None or not said.opens:
            return None
        form = name_key(said.mention.of(cues.body(text)))
        for who in self._people:
            same_facts = (said.tag and who.tag == said.tag) or (said.born and who.born == said.born)
            if same_facts or (len(form) > 2 and form in who.forms and not said.tag and not said.another):
                self._current = who
                return who
        return None

    def _back(self, ordinal: int) -> _Person:
        self._current = self._people[ordinal]
        return self._current

    def _new(self, family: NamesakeGroup | None, said: Cues, text: str) -> _Person:
        who = _Person(family, family.name if family else self._other_name(text, said))
        self._people.append(who)
        self._current = who
        self._learn(who, said, text)
        return who

    def _learn(self, who: _Person, said: Cues, text: str) -> None:
        who.tag = who.tag or said.tag
        who.born = who.born or said.born or cues.born_in(text)
        if said.mention:
            mentioned = said.mention.of(cues.body(text))
            who.forms.add(name_key(mentioned))
            if not who.named and who.family:
                who.name, who.named = mentioned, True
        who.introduced = who.introduced or bool(said.mention) or said.another
        who.roles |= said.roles | roles(said.tag)
        if said.another or said.ordinal is not None:
            who.roles |= roles(text[:120])

    def _family(self, text: str, said: Cues) -> NamesakeGroup:
        if said.mention:
            mentioned = said.mention.of(cues.body(text))
            for family in self._kin:
                if family.bears(mentioned):
                    return family
        present = self._current.family if self._current else None
        return present or self._kin[0]

    def _other_name(self, text: str, said: Cues) -> str:
        """The name of somebody outside all families whom the piece introduces, or ""."""
        if said.mention is not None and said.opens:
            return ""
        for name in self._others:
            mention = first_mention(text, [name])
            if mention and mention.start <= 2 and cues.describes(text[mention.end :]):
                return name
        return ""
