"""Who does it and to whom, across a change of voice: "Lena nominated Peter" against "Lena was nominated by Peter".

A clause in the passive and one in the active with the same verb say the same if what stands before one verb stands
behind the other. Where both sides of the claim stand on the same side in the evidence, they have changed places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.facts.exchange import EXCHANGED, SYMMETRIC, quoted
from guardrail.text.facts.fact import FactKind, Facts, Mismatch
from guardrail.text.facts.items import BE
from guardrail.text.facts.verb_forms import base, may_be_past
from guardrail.text.wording import NEGATIONS
from guardrail.text.words import Word, stem
from guardrail.types import Span

_MUTUAL = SYMMETRIC | frozenset(
    map(
        stem,
        """accompany accompanies accompanied join joins joined face faces faced oppose opposes opposed pass passes
        passed clear clears cleared carry carries carried cross crosses crossed fight fights fought tie ties
        tied""".split(),
    )
)
"""Verbs that say the same whoever is named first: "the bill passed the Senate"."""

_BOTH_WAYS = frozenset("versa turn same likewise mutual mutually reciprocal reciprocally return back".split())
"""Words by which the other side may do as much."""

_DETERMINERS = frozenset("the a an his her its their this that these those every each all both some any".split())
"""With a name, what the object of a verb begins with; behind a noun there is none ("claims review board")."""

_BREAKS = frozenset(
    """that which who whom whose when while because although though if where after before since until unless and or
    but than as""".split()
)
"""Words at which a noun phrase ends, whatever its side."""

_BEHIND = _BREAKS | frozenset(
    "in on at to for from per with by of under over during against into through about between within without".split()
)
_MEASURES = frozenset(
    """second minute hour day week month quarter year night piece kilo kilogram kilometre mile metre litre page word
    half third""".split()
)
"""What one charges, pays or grows by, which acts on nothing."""

_REACH = 6
"""Words of a phrase on one side of its verb."""

_TO_AGENT = 7
"""Words from a participle to its agent."""

_PUNCTUATION = re.compile(r"[,.;:!?()\[\]\"“”–—]\s")


class _Clause(NamedTuple):
    """Stems of the noun phrases beside a verb: who does it, to whom; ``heads`` are what both phrases are about."""

    verb: str
    doer: frozenset[str]
    done_to: frozenset[str]
    heads: frozenset[str]
    passive: bool
    span: Span


def judge_voice(claim: Facts, sentences: Sequence[Facts]) -> Iterator[Mismatch]:
    """Clauses of the claim whose two sides a sentence of the evidence has in each other's place, in the other voice.

    Silent where the evidence has the verb a second time, unless it says the same there, or hints at both directions.

    Args:
        claim: The claim, in English.
        sentences: Those of the evidence.
    """
    own = read_clauses(claim)
    if not own or any(not s.forms.isdisjoint(_BOTH_WAYS) for s in (claim, *sentences)):
        return
    verbs = {clause.verb for clause in own}
    there = [(s, c) for s in sentences for c in read_clauses(s) if c.verb in verbs]
    for clause in own:
        same_verb = [(s, c) for s, c in there if c.verb == clause.verb]
        if not same_verb or not all(_is_turned(clause, c) for _, c in same_verb):
            continue
        said = sum(base(word.form) == clause.verb for s in sentences for word in s.words if word.stem)
        if said > len(same_verb):
            continue
        sentence, other = same_verb[0]
        if any(f.kind is FactKind.DATE and f.surface not in sentence.text for f in claim.facts):
            continue  # another time, of which it may be told in other words
        yield Mismatch(
            kind=FactKind.ROLE,
            span=clause.span,
            claim_value=quoted(clause.span.of(claim.text)),
            evidence_value=quoted(other.span.of(sentence.text)),
            contradicts=True,
            weight=EXCHANGED,
        )


def _is_turned(one: _Clause, other: _Clause) -> bool:
    if one.passive == other.passive:
        return False
    crossed = one.doer & other.done_to, one.done_to & other.doer
    straight = one.doer & other.doer or one.done_to & other.done_to
    return not straight and all(side & one.heads and side & other.heads for side in crossed)


@lru_cache(maxsize=8192)
def _clauses(text: str, words: tuple[Word, ...]) -> tuple[_Clause, ...]:
    found: list[_Clause] = []
    if any(word.form in NEGATIONS or word.form.endswith("n't") for word in words):
        return ()  # what is denied is not read
    for place, word in enumerate(words):
        if not (word.stem and word.form.isascii()) or word.form in BE or word.stem in _MUTUAL:
            continue
        auxiliary = next((n for n in range(place - 1, max(-1, place - 4), -1) if words[n].form in BE), None)
        passive = auxiliary is not None and (may_be_past(word.form) or word.form.endswith("ed"))
        if not passive and (auxiliary is not None or not _may_act(text, words, place)):
            continue
        start = place if auxiliary is None else auxiliary
        before = _before(text, words, start)
        agent = _agent(text, words, place) if passive else place + 1
        if agent is None or not before:
            continue
        behind = _behind(text, words, agent)
        if not behind:
            continue
        left, right = (frozenset(w.stem for w in phrase if w.stem) for phrase in (before, behind))
        heads = frozenset({_head(before), behind[-1].stem})
        span = Span(before[0].start, behind[-1].end)
        doer, done_to = (right, left) if passive else (left, right)
        found.append(_Clause(base(word.form), doer, done_to, heads, passive, span))
    return tuple(found)


def _may_act(text: str, words: Sequence[Word], place: int) -> bool:
    """Whether a word must be a verb with an object, which begins with a determiner or is a name."""
    if place + 1 >= len(words) or (place and words[place - 1].form == "to"):
        return False
    word, following = words[place], words[place + 1]
    if text[word.end : following.start] != " " or word.form.endswith("ing") or not text[word.start].islower():
        return False
    return following.form in _DETERMINERS or text[following.start].isupper()


def read_clauses(facts: Facts) -> tuple[_Clause, ...]:
    """Verbs of a sentence with something on both sides; many are none, which only another's voice tells."""
    return _clauses(facts.text, facts.words)


def _before(text: str, words: Sequence[Word], place: int) -> list[Word]:
    """The noun phrase that ends before a verb."""
    phrase: list[Word] = []
    for number in range(place - 1, max(-1, place - 1 - _REACH), -1):
        word = words[number]
        if word.form in _BREAKS or _PUNCTUATION.search(text, word.end, words[number + 1].start + 1):
            break
        phrase.insert(0, word)
    return _trimmed(phrase)


def _head(phrase: Sequence[Word]) -> str:
    """What the phrase is about: its last word, or that before a preposition ("ladybirds on the roses")."""
    inner = next((n for n, word in enumerate(phrase) if n and word.form in _BEHIND), len(phrase))
    return phrase[inner - 1].stem


def _behind(text: str, words: Sequence[Word], place: int) -> list[Word]:
    """The noun phrase that begins there."""
    phrase: list[Word] = []
    for number in range(place, min(len(words), place + _REACH)):
        word = words[number]
        if word.form in _BEHIND or (phrase and _PUNCTUATION.search(text, words[number - 1].end, word.start + 1)):
            break
        phrase.append(word)
    return _trimmed(phrase)


def _trimmed(phrase: list[Word]) -> list[Word]:
    """Up to its last word with content."""
    while phrase and not phrase[-1].stem:
        phrase.pop()
    return phrase


def _agent(text: str, words: Sequence[Word], place: int) -> int | None:
    """Where the agent of a participle begins; "by 2019" and "by using it" name none."""
    for number in range(place + 1, min(len(words) - 1, place + 1 + _TO_AGENT)):
        word, following = words[number], words[number + 1]
        if word.form in _BREAKS or _PUNCTUATION.search(text, words[number - 1].end, word.start + 1):
            return None
        if word.form == "by":
            by_itself = following.form[:1].isdigit() or following.form.endswith("ing")
            measured = any(each.form in _MEASURES for each in words[number + 1 : number + 3])
            return None if by_itself or measured else number + 1
    return None
