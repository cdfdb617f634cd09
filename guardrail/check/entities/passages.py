"""Which individual each passage describes, and which individuals share a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from guardrail.check.entities.names import is_cjk, name_key, same_name
from guardrail.check.entities.namesakes import Individual, apart, sharing
from guardrail.check.entities.subjects import Subject, subject_of
from guardrail.types import Entity, Passage


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
    shared = sharing(found, passages)
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
            if len(mains) == 1 or (fields and not apart(group, _individual(subject_at, [number]), passages))
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
