"""Which of the namesakes each group is about, and which segments are another namesake's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from guardrail.check.entities import cues
from guardrail.check.entities.assignment import assign
from guardrail.check.entities.families import Family, families
from guardrail.check.entities.names import name_key, roles, split_title
from guardrail.check.entities.support import Support
from guardrail.types import Entity, EntityGroup, Passage, Segment, SupportMatrix

Linking = Literal["argmax", "hungarian"]
"""How several groups share out the namesakes; see ``link``."""

LINKINGS: tuple[str, ...] = get_args(Linking)

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
    kin = families(entities)
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
    kin = families(entities)
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


def _family(one: EntityGroup, kin: Sequence[Family]) -> Family | None:
    return next((family for family in kin if one.name and family.bears(one.name)), None)


def _scores(one: EntityGroup, family: Family, support: Support) -> list[float]:
    scores = [
        sum(
            support.of(segment_id, member, family) + _CUE * _cue(support.text(segment_id), member, family)
            for segment_id in one.segments
        )
        for member in family.members
    ]
    named = [name_key(member.name) == name_key(one.name) for member in family.members]
    return [score + _NAMED * own * (not all(named)) for score, own in zip(scores, named, strict=True)]


_Scored = tuple[EntityGroup, Family, list[float]]
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


def _cue(text: str, member: Entity, family: Family) -> float:
    """1.0 where the text bears a word of this member's parenthesis that is in no other member's, else 0.0."""
    own = _tag_words(member)
    others = set().union(*(_tag_words(other) for other in family.members if other != member))
    said = set(text.casefold().replace("(", " ").replace(")", " ").replace(",", " ").replace(".", " ").split())
    if said & (own - others):
        return 1.0
    tag = split_title(member.title)[1]
    told = roles(tag) - frozenset().union(
        *(roles(split_title(other.title)[1]) for other in family.members if other != member)
    )
    return 0.5 if told & roles(text) else 0.0


def _tag_words(member: Entity) -> set[str]:
    return set(split_title(member.title)[1].casefold().replace(",", " ").split()) - {"born", "the", "of", "and"}


def _mix(one: EntityGroup, segment_id: str, family: Family, support: Support) -> Mix | None:
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
