"""Which of the namesakes each group is about, which segments are another namesake's, and what that makes of the answer.

The Hungarian algorithm shares namesakes out; the counts are those of D-FActScore (section 2.4 and appendix B.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from guardrail.check.contract import Linking
from guardrail.check.entities import cues
from guardrail.check.entities.names import may_be_same_name, name_key, roles, split_title
from guardrail.check.entities.namesakes import NamesakeGroup, namesake_groups
from guardrail.check.entities.support import Support
from guardrail.types import BiographyCategory, Entity, EntityGroup, Passage, Row, Segment, SupportMatrix

_CUE = 0.35  # weight of a cue in the segment, as a share of a fully supported segment
_NAMED = 0.3  # for the namesake whose title has the name just as the answer writes it
_GAIN = 0.10  # the namesake must cover this much more of a segment than the linked entity
_ONLY = 0.18  # ... and this share of the segment must be found with the namesake only


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """A segment of a group about ``linked`` that is true of its namesake ``other`` instead; ``margin`` is 0..1."""

    segment_id: str
    linked: Entity
    other: Entity
    margin: float


def link(
    groups: Sequence[EntityGroup],
    entities: Sequence[Entity],
    matrix: SupportMatrix,
    segments: Sequence[Segment],
    passages: Sequence[Passage],
    *,
    assignment: Linking = "argmax",
) -> tuple[EntityGroup, ...]:
    """Give each group the namesake that supports it most (D-FActScore, section 4 and appendix C.1).

    Support is the sum over segments of the best passage's, by the matrix where a cell was read and by rare words,
    names and numbers everywhere. A parenthesis, occupation or birth year that the group shares with one title counts
    on top. Ties go to the namesake whose passages come first.

    Args:
        groups: What ``group`` returned.
        entities: What ``cluster`` returned.
        matrix: Rows by segment id; cells by passage number. Missing rows and cells count as not read.
        segments: The segments of the answer.
        passages: The passages that the entities number.
        assignment: Who gets whom where there are several groups. ``argmax``: each its best, also the same one
            (equation 1). ``hungarian``: different ones, so that the support of all together is greatest; groups that
            are left over get their best.

    Returns:
        The groups in order; ``entity`` is set only where at least two entities share the group's name.
    """
    kin = namesake_groups(entities)
    if not kin:
        return tuple(groups)
    support = Support(matrix, segments, passages)
    scored = [(one, family, _scores(one, family, support)) for one in groups if (family := _family(one, kin))]
    chosen = _hungarian(scored) if assignment == "hungarian" else _argmax(scored)
    return tuple(replace(one, entity=chosen.get(one.id)) for one in groups)


def mixed(
    groups: Sequence[EntityGroup],
    entities: Sequence[Entity],
    matrix: SupportMatrix,
    segments: Sequence[Segment],
    passages: Sequence[Passage],
) -> tuple[Mix, ...]:
    """Find segments that are supported by a namesake of the linked entity and not by it (D-FActScore, section 4).

    Args:
        groups: What ``link`` returned.
        entities: What ``cluster`` returned.
        matrix: Rows by segment id; cells by passage number.
        segments: The segments of the answer.
        passages: The passages that the entities number.

    Returns:
        At most one Mix for a segment, in the order of the groups.
    """
    kin = namesake_groups(entities)
    if not kin or not any(one.entity for one in groups):
        return ()
    support = Support(matrix, segments, passages)
    found = []
    for one in groups:
        family = _family(one, kin)
        if one.entity is None or family is None:
            continue
        for segment_id in one.segments:
            mix = _mix(one, segment_id, family, support)
            found += [mix] if mix else []
    return tuple(found)


def _family(one: EntityGroup, kin: Sequence[NamesakeGroup]) -> NamesakeGroup | None:
    return next((family for family in kin if one.name and family.bears(one.name)), None)


def _scores(one: EntityGroup, family: NamesakeGroup, support: Support) -> list[float]:
    scores = [
        sum(
            support.of(segment_id, member, family) + _CUE * _cue(support.text(segment_id), member, family)
            for segment_id in one.segments
        )
        for member in family.members
    ]
    named = [name_key(member.name) == name_key(one.name) for member in family.members]
    return [score + _NAMED * own * (not all(named)) for score, own in zip(scores, named, strict=True)]


_Scored = tuple[EntityGroup, NamesakeGroup, list[float]]
"""A group, its namesakes, and how much each supports it."""


def _argmax(scored: Sequence[_Scored]) -> dict[str, Entity]:
    return {one.id: family.members[scores.index(max(scores))] for one, family, scores in scored}


def _hungarian(scored: Sequence[_Scored]) -> dict[str, Entity]:
    chosen = _argmax(scored)
    for family in dict.fromkeys(family for _, family, _ in scored):
        rivals = [(one, scores) for one, own, scores in scored if own == family]
        for (one, _), index in zip(rivals, assign([scores for _, scores in rivals]), strict=True):
            if index is not None:
                chosen[one.id] = family.members[index]
    return chosen


def _cue(text: str, member: Entity, family: NamesakeGroup) -> float:
    """1.0 where the text bears a word of this member's parenthesis that is in no other member's, else 0.0."""
    own = _tag_words(member)
    others = set().union(*(_tag_words(other) for other in family.members if other != member))
    said = set(text.casefold().replace("(", " ").replace(")", " ").replace(",", " ").replace(".", " ").split())
    if said & (own - others):
        return 1.0
    tag = split_title(member.title)[1]
    own_roles = roles(tag) - frozenset().union(
        *(roles(split_title(other.title)[1]) for other in family.members if other != member)
    )
    return 0.5 if own_roles & roles(text) else 0.0


def _tag_words(member: Entity) -> set[str]:
    return set(split_title(member.title)[1].casefold().replace(",", " ").split()) - {"born", "the", "of", "and"}


def _mix(one: EntityGroup, segment_id: str, family: NamesakeGroup, support: Support) -> Mix | None:
    linked = one.entity
    if linked is None or cues.announces(support.text(segment_id)) or support.reads(segment_id, linked) is True:
        return None
    best: Mix | None = None
    for other in family.members:
        if other == linked or other.title == linked.title or support.reads(segment_id, other) is False:
            continue
        only, gain = support.against(segment_id, linked, other, family)
        if only >= _ONLY and gain >= _GAIN and (best is None or gain > best.margin):
            best = Mix(segment_id=segment_id, linked=linked, other=other, margin=round(gain, 4))
    return best


def assign(scores: Sequence[Sequence[float]]) -> tuple[int | None, ...]:
    """Give rows different columns so that the sum of ``scores[row][column]`` is greatest.

    Shortest augmenting paths with potentials (Kuhn 1955; Jonker and Volgenant 1987), cubic in the longer side.

    Args:
        scores: One list per row, all of the same length; finite.

    Returns:
        The column of each row; None for the rows left over where there are more rows than columns.
    """
    rows, columns = len(scores), len(scores[0]) if scores else 0
    if rows > columns:
        row_of = assign([[scores[r][c] for r in range(rows)] for c in range(columns)])
        given = {row: column for column, row in enumerate(row_of)}
        return tuple(given.get(row) for row in range(rows))
    # Numbers count from 1 in here; column 0 stands for the row that is being added.
    of_row, of_column = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner, came_from = [0] * (columns + 1), [0] * (columns + 1)
    for new in range(1, rows + 1):
        owner[0], column = new, 0
        slack, visited = [inf] * (columns + 1), {0}
        while owner[column]:
            row, nearest, step = owner[column], 0, inf
            for other in range(1, columns + 1):
                if other in visited:
                    continue
                cost = -scores[row - 1][other - 1] - of_row[row] - of_column[other]
                if cost < slack[other]:
                    slack[other], came_from[other] = cost, column
                if slack[other] < step:
                    nearest, step = other, slack[other]
            for other in range(columns + 1):
                if other in visited:
                    of_row[owner[other]] += step
                    of_column[other] -= step
                else:
                    slack[other] -= step
            visited.add(nearest)
            column = nearest
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    column_of = {owner[column]: column - 1 for column in range(1, columns + 1) if owner[column]}
    return tuple(column_of[row] for row in range(1, rows + 1))


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
        family = [one for one in entities if one.shares_name and may_be_same_name(one.name, subject.name)]
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
