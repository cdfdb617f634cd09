"""Which individuals share a name: known to be different, and likely to be called by one name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from guardrail.check.entities.names import (
    bucket_keys,
    is_rank,
    kind_of,
    kindred,
    looks_personal,
    name_key,
    roles,
    same_given,
)
from guardrail.check.entities.subjects import Subject
from guardrail.check.entities.words import THINGS
from guardrail.types import Passage


@dataclass(slots=True)
class Individual:
    """Passages of one individual with what they say of it."""

    subject: Subject
    passages: list[int]
    born: str
    roles: frozenset[str]


def apart(one: Individual, other: Individual, passages: Sequence[Passage]) -> bool:
    """Different occupations tell two apart only if neither's passages so much as mention the other's."""
    if not one.roles or not other.roles or one.roles & other.roles:
        return False
    return not (_mentioned(one, passages) & other.roles or _mentioned(other, passages) & one.roles)


def _mentioned(one: Individual, passages: Sequence[Passage]) -> frozenset[str]:
    return one.roles.union(*(roles(passages[number].text) for number in one.passages))


def sharing(found: Sequence[Individual], passages: Sequence[Passage]) -> set[int]:
    """Numbers of the individuals that have a namesake."""
    buckets: dict[tuple[str, str], dict[_Signature, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, one in enumerate(found):
        for key in bucket_keys(one.subject.name):
            buckets[key][_signature(one)].append(number)
    shared: set[int] = set()
    for kinds in buckets.values():
        for mine, theirs in combinations(kinds, 2):
            if shared.issuperset((*kinds[mine], *kinds[theirs])) or not kindred(mine[0], theirs[0]):
                continue
            for index, other in product(kinds[mine], kinds[theirs]):
                if _namesakes(found[index], found[other], passages):
                    shared |= {index, other}
    return shared | _plain(found, shared, passages)


def _plain(found: Sequence[Individual], shared: set[int], passages: Sequence[Passage]) -> set[int]:
    """Plain titles beside two that their parentheses tell apart: a third bearer, if no occupation is theirs."""
    tagged: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number in sorted(shared):
        if kind_of(found[number].subject.tag, found[number].subject.name) is not None:
            tagged[name_key(found[number].subject.name)].append(number)
    return {
        number
        for number, one in enumerate(found)
        if one.subject.title and not one.subject.tag and len(named := tagged.get(name_key(one.subject.name), ())) > 1
        if all(apart(one, found[other], passages) or _foreign(found[other], one, passages) for other in named)
    }


_Signature = tuple[str, str, str, frozenset[str], bool]


def _signature(one: Individual) -> _Signature:
    """Individuals that are alike in all this are never told apart, so that only different ones need comparing."""
    return one.subject.name, one.subject.tag, one.born, one.roles, one.subject.other


def _namesakes(one: Individual, other: Individual, passages: Sequence[Passage]) -> bool:
    """Whether two individuals are known to differ and could be called by one name."""
    left, right = one.subject, other.subject
    if not kindred(left.name, right.name):
        return False
    equal = name_key(left.name) == name_key(right.name)
    if equal and left.other != right.other:
        return True
    if one.born and other.born:
        return one.born != other.born
    if _told_apart(one, other, passages):
        return True
    # One person's pages may speak of two occupations; only a title's parenthesis says that they mean two persons.
    if equal or not (left.title and right.title) or not (_personal(one) or _personal(other)):
        return False
    if _conflict(left.name, right.name) or apart(one, other, passages):
        return True
    # "Jo Hartley (pharmacist)" is not the "Jo Robin Hartley" whose passages never mention a pharmacy.
    return any(_foreign(*pair, passages) for pair in ((one, other), (other, one)))


def _told_apart(one: Individual, other: Individual, passages: Sequence[Passage]) -> bool:
    """Whether the parentheses of two titles name two bearers; those of documents ("resume", "history") name none."""
    mine, theirs = kind_of(one.subject.tag, one.subject.name), kind_of(other.subject.tag, other.subject.name)
    plain = not (one.subject.tag and other.subject.tag)
    if plain and any(is_rank(each.subject.tag) for each in (one, other)):
        return apart(one, other, passages) or any(_foreign(*pair, passages) for pair in ((one, other), (other, one)))
    if mine is None or theirs is None or one.subject.tag.casefold() == other.subject.tag.casefold():
        return False
    if mine <= THINGS and theirs <= THINGS and mine and theirs:
        return not mine & theirs and apart(one, other, passages)
    return True


def _foreign(one: Individual, other: Individual, passages: Sequence[Passage]) -> bool:
    tag, name = one.subject.tag, one.subject.name
    told = kind_of(tag, name) if tag else one.roles if one.born or other.born else frozenset[str]()
    return bool(told) and looks_personal(other.subject.name) and not (told or set()) & _mentioned(other, passages)


def _personal(one: Individual) -> bool:
    return bool(one.born or one.roles - THINGS)


def _conflict(one: str, other: str) -> bool:
    """Whether two full names have middle names that cannot be one person's ("Frank R. Hartley", "Frank Jo Hartley")."""
    left, right = name_key(one)[1:-1], name_key(other)[1:-1]
    return bool(left and right) and not any(same_given(mine, theirs) for mine in left for theirs in right)
