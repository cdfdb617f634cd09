"""How many individuals an answer speaks of, and how many it draws on (D-FActScore, section 2.4 and appendix B.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from guardrail.check.entities.link import Mix
from guardrail.check.entities.names import kindred
from guardrail.types import BiographyCategory, Entity, EntityGroup, Row


def named_groups(groups: Sequence[EntityGroup]) -> int:
    """Individuals that the answer speaks of (#bios); a nameless group counts only where there is no named one."""
    return sum(bool(group.name) for group in groups) or min(len(groups), 1)


def biographies(
    groups: Sequence[EntityGroup],
    entities: Sequence[Entity],
    mixes: Iterable[Mix],
    claims: Iterable[tuple[str, Row]],
    threshold: float,
) -> tuple[int, BiographyCategory | None]:
    """#entities and the category of the answer.

    Every fact is linked by itself, whatever group it stands in: an entity counts if a group is linked to it, if a
    segment is a mix of it, or if a claim is supported by its passages and by those of no entity counted already.
    Named groups that nothing is linked to (there is no namesake to mistake them for) count as one entity each.

    Args:
        groups: Linked groups.
        entities: The individuals that the passages describe.
        mixes: Segments that are another namesake's than their group's.
        claims: Segment id and row of each judged claim.
        threshold: Score from which a cell supports a claim (0..1).

    Returns:
        #entities, and the category; None where the passages describe no namesakes.
    """
    linked = {s: g.entity for g in groups if g.entity for s in g.segments}
    found = {entity.id for entity in linked.values()} | {mix.other.id for mix in mixes}
    for segment_id, row in claims:
        if (subject := linked.get(segment_id)) is None or row.unverified is not None:
            continue
        family = [one for one in entities if one.shares_name and kindred(one.name, subject.name)]
        support = {one.id: _support(one, row) for one in family}
        bearers = {ident for ident, score in support.items() if score >= threshold}
        if bearers and not bearers & found:
            found.add(max(bearers, key=support.__getitem__))
    others = sum(bool(group.name) and group.entity is None for group in groups)
    total = len(found) + others or min(len(groups), 1)
    if not any(entity.shares_name for entity in entities):
        return total, None
    return total, _category(sum(group.entity is not None for group in groups), len(found))


def _support(entity: Entity, row: Row) -> float:
    read = [cell.supported for n in entity.passages if (cell := row.cells[n]) is not None]
    return max(read, default=0.0)


def _category(bios: int, entities: int) -> BiographyCategory:
    """The paper names no category for several biographies of fewer or more entities; the reader's view decides."""
    if not bios:
        return BiographyCategory.NO_BIO
    if bios > 1:
        return BiographyCategory.N_BIOS_N_ENTITIES
    return BiographyCategory.ONE_BIO_ONE_ENTITY if entities == 1 else BiographyCategory.ONE_BIO_N_ENTITIES
