"""Which individual each passage describes, and which individuals share a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from guardrail.check.entities.names import (
    bucket_keys,
    is_cjk,
    is_rank,
    kind_of,
    looks_personal,
    may_be_same_name,
    name_key,
    roles,
    same_given,
    same_name,
)
from guardrail.check.entities.subjects import Subject, subject_of
from guardrail.check.entities.words import THINGS
from guardrail.types import Entity, Passage


@dataclass(slots=True)
class Individual:
    """Passages of one individual with what they say of it."""

    subject: Subject
    passages: list[int]
    born: str
    roles: frozenset[str]


def cluster(passages: Sequence[Passage]) -> tuple[Entity, ...]:
    """Group passages by the individual that they describe (D-FActScore, section 4: the entities to link to).

    Individuals are told apart by their titles ("X (swimmer)", "X (born 1995)") or by how passages introduce them
    (birth year, "another"). Untitled passages that introduce nobody make up one entity without a name. A passage that
    describes two namesakes counts for the one that it names first.

    Args:
        passages: The retrieved passages, in any order.

    Returns:
        Entities in the order of their first passage; every passage number is in exactly one. ``shares_name`` is set
        only where two of them are different individuals that an answer could call by one name.
    """
    pages: dict[tuple[str, str], list[tuple[int, Subject]]] = defaultdict(list)
    for number, passage in enumerate(passages):
        subject = subject_of(passage)
        name = " ".join(name_key(subject.name)) or subject.name
        # A page of one name is one page; a page of many names ("Staff") has one entry a name.
        pages[name, subject.title.casefold()].append((number, subject))
    found = [one for page in pages.values() for one in _individuals(page, passages)]
    found = _merged(sorted(found, key=lambda one: (one.subject.name, one.subject.title, one.born, sorted(one.roles))))
    found.sort(key=lambda one: min(one.passages))
    shared = numbers_sharing_names(found, passages)
    titles = _titles(found, shared)
    return tuple(
        Entity(
            id=f"e{number}",
            name=one.subject.name,
            title=titles[number - 1],
            passages=tuple(sorted(one.passages)),
            shares_name=number - 1 in shared,
        )
        for number, one in enumerate(found, start=1)
    )


def _titles(found: Sequence[Individual], shared: set[int]) -> list[str]:
    """Titles of the individuals; namesakes under one title get their birth year, or that they are another."""
    titles = [one.subject.title or one.subject.name for one in found]
    bearers: dict[str, list[int]] = defaultdict(list)
    for number in sorted(shared):
        bearers[titles[number].casefold()].append(number)
    for numbers in bearers.values():
        for number in numbers if len(numbers) > 1 else ():
            one, title = found[number], titles[number]
            if one.born:
                titles[number] = f"{title}（{one.born}年生）" if is_cjk(title) else f"{title} (born {one.born})"
            elif one.subject.other:
                titles[number] = f"{title}（另一位）" if is_cjk(title) else f"{title} (another)"
    return titles


def _individuals(page: list[tuple[int, Subject]], passages: Sequence[Passage]) -> list[Individual]:
    """Split the passages of one page and name where their introductions cannot be of one individual."""
    kinds: dict[tuple[str, frozenset[str], bool], list[int]] = defaultdict(list)
    for number, subject in page:
        kinds[subject.born, subject.roles, subject.other].append(number)
    subject_at = dict(page)
    named = any(subject.name for _, subject in page)
    whole = _individual(subject_at, sorted(subject_at))
    if len(kinds) == 1 or page[0][1].tag or not named:
        return [whole]
    # Occupations alone never split: one person may be a politician and a chemist.
    by_birth: dict[str, list[int]] = defaultdict(list)
    undated: list[int] = []
    for (born, _, other), numbers in kinds.items():
        if born or other:
            by_birth[born or "another"] += numbers
        else:
            undated += numbers
    groups = [_individual(subject_at, sorted(numbers)) for _, numbers in sorted(by_birth.items())]
    mains = [group for group in groups if not group.subject.other]
    rest: list[int] = []
    homes: dict[int, tuple[Individual, list[int]]] = {}
    for number in sorted(undated):
        fields = subject_at[number].roles
        kin = [
            group
            for group in mains
            if len(mains) == 1 or (fields and not are_different(group, _individual(subject_at, [number]), passages))
        ]
        if len(kin) == 1:
            homes.setdefault(id(kin[0]), (kin[0], []))[1].append(number)
        else:
            rest.append(number)
    for home, numbers in homes.values():
        _absorb(home, numbers, _union(subject_at[number].roles for number in numbers))
    if rest:
        groups.append(_individual(subject_at, rest))
    return groups or [whole]


def _individual(subject_at: dict[int, Subject], numbers: list[int]) -> Individual:
    subjects = [subject_at[number] for number in numbers]
    born = min((subject.born for subject in subjects if subject.born), default="")
    return Individual(subjects[0], list(numbers), born, _union(subject.roles for subject in subjects))


def _absorb(one: Individual, numbers: Iterable[int], fields: frozenset[str]) -> None:
    one.passages = sorted([*one.passages, *numbers])
    one.roles |= fields


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _merged(found: list[Individual]) -> list[Individual]:
    """Two pages of kindred names, one birth year and no different occupations are about one individual."""
    kept: list[Individual] = []
    by_birth: dict[str, list[Individual]] = defaultdict(list)
    for one in found:
        twin = next((other for other in by_birth[one.born] if one.born and _same(one, other)), None)
        if twin is None:
            kept.append(one)
            by_birth[one.born].append(one)
        else:
            _absorb(twin, one.passages, one.roles)
    return kept


def _same(one: Individual, other: Individual) -> bool:
    compatible = not (one.roles and other.roles) or bool(one.roles & other.roles)
    return compatible and same_name(one.subject.name, other.subject.name)


def are_different(one: Individual, other: Individual, passages: Sequence[Passage]) -> bool:
    """Different occupations tell two apart only if neither's passages so much as mention the other's."""
    if not one.roles or not other.roles or one.roles & other.roles:
        return False
    return not (_mentioned(one, passages) & other.roles or _mentioned(other, passages) & one.roles)


def _mentioned(one: Individual, passages: Sequence[Passage]) -> frozenset[str]:
    return one.roles.union(*(roles(passages[number].text) for number in one.passages))


def numbers_sharing_names(found: Sequence[Individual], passages: Sequence[Passage]) -> set[int]:
    """Numbers of the individuals that have a namesake."""
    buckets: dict[tuple[str, str], dict[_Signature, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, one in enumerate(found):
        for key in bucket_keys(one.subject.name):
            buckets[key][_signature(one)].append(number)
    shared: set[int] = set()
    for kinds in buckets.values():
        for mine, theirs in combinations(kinds, 2):
            if shared.issuperset((*kinds[mine], *kinds[theirs])) or not may_be_same_name(mine[0], theirs[0]):
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
        if all(are_different(one, found[other], passages) or _foreign(found[other], one, passages) for other in named)
    }


_Signature = tuple[str, str, str, frozenset[str], bool]


def _signature(one: Individual) -> _Signature:
    """Individuals that are alike in all this are never told apart, so that only different ones need comparing."""
    return one.subject.name, one.subject.tag, one.born, one.roles, one.subject.other


def _namesakes(one: Individual, other: Individual, passages: Sequence[Passage]) -> bool:
    """Whether two individuals are known to differ and could be called by one name."""
    left, right = one.subject, other.subject
    if not may_be_same_name(left.name, right.name):
        return False
    equal = name_key(left.name) == name_key(right.name)
    if equal and left.other != right.other:
        return True
    if one.born and other.born:
        return one.born != other.born
    if _differ_by_title(one, other, passages):
        return True
    # One person's pages may speak of two occupations; only a title's parenthesis says that they mean two persons.
    if equal or not (left.title and right.title) or not (_personal(one) or _personal(other)):
        return False
    if _conflict(left.name, right.name) or are_different(one, other, passages):
        return True
    # "Jo Hartley (pharmacist)" is not the "Jo Robin Hartley" whose passages never mention a pharmacy.
    return _either_foreign(one, other, passages)


def _differ_by_title(one: Individual, other: Individual, passages: Sequence[Passage]) -> bool:
    """Whether the parentheses of two titles name two bearers; those of documents ("resume", "history") name none."""
    mine, theirs = kind_of(one.subject.tag, one.subject.name), kind_of(other.subject.tag, other.subject.name)
    plain = not (one.subject.tag and other.subject.tag)
    if plain and any(is_rank(each.subject.tag) for each in (one, other)):
        return are_different(one, other, passages) or _either_foreign(one, other, passages)
    if mine is None or theirs is None or one.subject.tag.casefold() == other.subject.tag.casefold():
        return False
    if mine <= THINGS and theirs <= THINGS and mine and theirs:
        return not mine & theirs and are_different(one, other, passages)
    return True


def _either_foreign(one: Individual, other: Individual, passages: Sequence[Passage]) -> bool:
    return _foreign(one, other, passages) or _foreign(other, one, passages)


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
