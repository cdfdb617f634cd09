"""Families: the entities among which one spoken name could mean any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.check.entities.names import kindred, name_key
from guardrail.types import Entity


@dataclass(frozen=True, slots=True)
class Family:
    """Namesakes, in the order of their first passages; ``name`` is the shortest form of theirs."""

    name: str
    members: tuple[Entity, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The forms of the name that titles and introductions use."""
        return tuple(dict.fromkeys(member.name for member in self.members))

    def bears(self, name: str) -> bool:
        """Whether the family can be called by this name."""
        return any(kindred(name, own) for own in self.names)


def families(entities: Sequence[Entity]) -> tuple[Family, ...]:
    """Sort the entities that share names into families; entities without namesakes are in none."""
    found: list[list[Entity]] = []
    for entity in entities:
        if not entity.shares_name:
            continue
        kin = [family for family in found if any(kindred(entity.name, member.name) for member in family)]
        found = [family for family in found if family not in kin]
        found.append([*(member for family in kin for member in family), entity])
    ordered = sorted(
        (sorted(family, key=lambda one: one.passages[:1]) for family in found),
        key=lambda family: family[0].passages[:1],
    )
    return tuple(
        Family(min((one.name for one in family), key=lambda name: (len(name_key(name)), len(name))), tuple(family))
        for family in ordered
        if len(family) > 1
    )
