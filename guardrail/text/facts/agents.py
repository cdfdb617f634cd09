"""What another person said or did: "Ms Farrow filed an appeal", where Mr Dunmore filed it.

The sentence that says most of what the claim says has another person in the place of the one who acts, in the same
act, and no sentence about the claim's person comes near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.facts.coverage import Coverage
from guardrail.text.facts.fact import FactKind, Facts, Mismatch
from guardrail.text.language import may_be_english
from guardrail.text.words import content_words
from guardrail.types import Span

_MARGIN = 0.1
"""Share of the claim by which the sentence about the other person must say more of it than those about the claim's."""

_COVER = 0.3
"""Share of the claim, names left out, that the sentence about the other person must have."""

_WEIGHT = 0.9

_TITLE = r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Lady)\.?\s"
_WORD = r"[A-ZÀ-Þ][\w’'-]{1,40}"
_PERSON = re.compile(rf"(?<![\w’'-])(?P<title>{_TITLE})?(?P<name>(?:{_WORD}\s){{0,4}}{_WORD})")
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
    r"(?:\s?\([^()]{0,60}\))?(?:(?P<minutes>\s?:)|,?\s(?:who\s|nevertheless\s|nonetheless\s|had\s|has\s|also\s|then\s"
    r"|still\s|later\s|finally\s|even\s)*(?P<verb>(?!(?:was|is|has|as|its|this|does)\b)[a-z]+(?:ed|es|s)|said|told|held"
    r"|made|took|went|wrote|gave|found|won|left|led|bought|sold|sent|put|set|saw|kept|built|drew|came|became|began"
    r"|thought|felt|met|paid|ran|taught|wants?)\b)"
)
"""Behind a name: a colon (minutes), or a verb, perhaps after a role in brackets."""

_SPEECH = re.compile(
    r"sa(?:id|ys)|told|tells|argue[ds]|warn(?:ed|s)|add(?:ed|s)|explain(?:ed|s)|claim(?:ed|s)|complain(?:ed|s)|stress(?:ed|es)"
    r"|promise[ds]|doubt(?:ed|s)|insist(?:ed|s)|advise[ds]|suggest(?:ed|s)|propose[ds]|ask(?:ed|s)|move[ds]"
)
_ALIKE = re.compile(
    r"\b(?:agree[ds]?|shared?|same|too|as\swell|also|likewise|both|yes|support(?:ed|s)|echoed|so\sd(?:id|oes))\b",
    re.IGNORECASE,
)
"""Words by which the claim's person may have said or done the same."""

_PRONOUN = re.compile(r"\b(?:he|she|they)\b", re.IGNORECASE)


class _Person(NamedTuple):
    """A person in a text, by the last word of the name; ``act`` is the verb of which they are the subject, or ":"."""

    key: str
    names: frozenset[str]
    span: Span
    act: str


def judge_agents(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Mismatch]:
    """Persons of the claim who act in it, while the sentence nearest to it has another one in the same act.

    Silent where the person may have done the same (one of the sentences agrees), or may be meant in that sentence by a
    pronoun or a first name.

    Args:
        claim: The claim, in English.
        sentences: Those of the evidence.
    """
    own = read_persons(claim.text)
    acting = [person for person in own if person.act]
    if not acting or not may_be_english(claim.text):
        return
    names = {word.stem for p in own for word in claim.words if p.span.start <= word.start < p.span.end}
    shares = Coverage(claim.bag - names, sentences).shares
    there = [read_persons(sentence.text) for sentence in sentences]
    keys = {person.key for person in own}
    for person in acting:
        about = {n for n, s in enumerate(sentences) if person.names & s.forms or person.key in s.text.lower()}
        if not about or any(_ALIKE.search(sentences[n].text) for n in about):
            continue
        at_home = max(shares[n] for n in about)
        rivals = [
            (shares[n], other, sentences[n])
            for n, others in enumerate(there)
            if n not in about and shares[n] > max(at_home + _MARGIN, _COVER) and not _may_be_meant(sentences[n])
            for other in others
            if other.key not in keys and _is_same_act(person, other, claim)
        ]
        if rivals:
            _, other, sentence = max(rivals, key=lambda rival: rival[0])
            yield Mismatch(
                kind=FactKind.ROLE,
                span=person.span,
                claim_value=person.span.of(claim.text),
                evidence_value=other.span.of(sentence.text),
                contradicts=True,
                weight=_WEIGHT,
            )


def _may_be_meant(sentence: Facts) -> bool:
    return bool(_PRONOUN.search(sentence.text) or _ALIKE.search(sentence.text))


def _is_same_act(person: _Person, other: _Person, claim: Facts) -> bool:
    """Whether both say something, or the other's verb is in the claim."""
    if not other.act:
        return False
    speaks = other.act == ":" or _SPEECH.fullmatch(other.act)
    return bool(speaks and _SPEECH.fullmatch(person.act)) or not claim.bag.isdisjoint(content_words(other.act))


@lru_cache(maxsize=4096)
def read_persons(text: str) -> tuple[_Person, ...]:
    """Persons by title and name, or by two or more capitalised words; a colon makes only those with a title speak."""
    found = []
    for match in _PERSON.finditer(text):
        start, words = match.start("name"), match["name"].split()
        while words and words[0].lower() in _NO_NAME:
            start += len(words[0]) + 1
            words = words[1:]
        last = words[-1].lower() if words else ""
        key = re.sub(r"['’]s?$", "", last)
        if not key or key in _THINGS or (len(words) < 2 and not match["title"]):
            continue
        behind = _ACTS.match(text, match.end()) if key == last else None
        act = (behind["verb"] or (":" if match["title"] else "")) if behind else ""
        span = Span(match.start() if match["title"] else start, match.end())
        found.append(_Person(key, frozenset(word.lower() for word in words), span, act))
    return tuple(found)
