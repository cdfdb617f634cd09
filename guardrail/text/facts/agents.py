"""What another person said or did: "Ms Farrow filed an appeal", where Mr Dunmore filed it.

The sentence that says most of what the claim says has another person in the place of the one who acts, and no sentence
about the claim's person comes near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.facts.coverage import Coverage
from guardrail.text.facts.fact import FactKind, Facts, Mismatch
from guardrail.types import Span

_MARGIN = 0.1
"""Share of the claim by which the sentence about the other person must say more of it than those about the claim's."""

_COVER = 0.3
"""Share of the claim, names left out, that the sentence about the other person must have."""

_WEIGHT = 1.0
"""Decides alone: see docs/decisions/displaced.md."""

_TITLE = r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Lady)\.?\s"
_PERSON = re.compile(rf"\b(?P<title>{_TITLE})?(?P<name>(?:[A-ZÀ-Þ][\w’'-]+\s){{0,4}}[A-ZÀ-Þ][\w’-]+)", re.UNICODE)
_NO_NAME = frozenset(
    """the a an in on at after before since when if while but and this these that for of from to by with as all both
    each every january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday""".split()
)
_THINGS = frozenset(
    """hall hill house street road lane square park garden lake river bridge bay beach mountain valley island islands
    club school college university academy church theatre museum library hospital clinic station airport hotel company
    bank group council court committee board office department ministry agency party union society association institute
    foundation fund league team cup channel radio press times news edition plan programme project act""".split()
)
"""Last words of names that are no persons'."""

_ACTS = re.compile(
    r"(?:\s?\([^()]{0,60}\))?(?:\s*:|,?\s(?:who\s|nevertheless\s|nonetheless\s|had\s|has\s|also\s|then\s|still\s|later\s"
    r"|finally\s|even\s)*(?:[a-z]+(?:ed|es|s)|said|told|held|made|took|went|wrote|gave|found|won|left|led|bought|sold|sent"
    r"|put|set|saw|kept|built|drew|rose|fell|came|became|began|thought|felt|met|paid|ran|taught|wants?)\b)"
)
"""Behind a name: a colon (minutes), or a verb, perhaps after a role in brackets."""


class _Person(NamedTuple):
    """A person in a text, by the last word of the name; ``acts``: a verb of which they are the subject follows."""

    key: str
    span: Span
    acts: bool


def judge_agents(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Mismatch]:
    """Persons of the claim who act in it, while the sentence nearest to it has another one acting.

    Args:
        claim: The claim.
        sentences: Those of the evidence.
    """
    own = read_persons(claim.text)
    acting = [person for person in own if person.acts]
    if not acting:
        return
    names = {word.stem for p in own for word in claim.words if p.span.start <= word.start < p.span.end}
    coverage = Coverage(claim.bag - names, sentences)
    there = [read_persons(sentence.text) for sentence in sentences]
    keys = {person.key for person in own}
    for person in acting:
        about = {n for n, s in enumerate(sentences) if person.key in s.forms or person.key in s.text.lower()}
        if not about:
            continue
        at_home = max(coverage.shares[n] for n in about)
        rivals = (
            (coverage.shares[n], other, sentences[n])
            for n, others in enumerate(there)
            if n not in about and coverage.shares[n] > max(at_home + _MARGIN, _COVER)
            for other in others
            if other.acts and other.key not in keys
        )
        best = max(rivals, key=lambda rival: rival[0], default=None)
        if best is not None:
            yield Mismatch(
                kind=FactKind.ROLE,
                span=person.span,
                claim_value=person.span.of(claim.text),
                evidence_value=best[1].span.of(best[2].text),
                contradicts=True,
                weight=_WEIGHT,
            )


@lru_cache(maxsize=4096)
def read_persons(text: str) -> tuple[_Person, ...]:
    """Persons by title and name, or by two or more capitalised words."""
    found = []
    for match in _PERSON.finditer(text):
        start, words = match.start("name"), match["name"].split()
        while words and words[0].lower() in _NO_NAME:
            start += len(words[0]) + 1
            words = words[1:]
        key = re.sub(r"['’]s?$", "", words[-1]).lower() if words else ""
        if not key or key in _THINGS or (len(words) < 2 and not match["title"]):
            continue
        found.append(_Person(key, Span(start, match.end()), bool(_ACTS.match(text, match.end()))))
    return tuple(found)
