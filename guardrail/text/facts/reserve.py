"""Evidence must assert the claim: what it only reports, denies, plans or supposes is no support.

Fires where the claim, which has no reserve of its own, lies in the scope of a cue of a sentence near to it, and where
nothing else that was read says the same outright.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.facts.alignment import FactEvidence
from guardrail.text.facts.fact import EXACT, FactKind, Facts, Mismatch
from guardrail.text.facts.reserve_claims import DONE, NOT, OWN_RESERVE, REALLY, SURELY, TODAY
from guardrail.text.facts.reserve_cues import Cue, read_reserves
from guardrail.text.facts.reserve_sheet import WORLD, Reserve
from guardrail.text.facts.verb_forms import base, may_be_past
from guardrail.text.words import Word, is_cjk
from guardrail.types import Span

_LEAST_COVER, _LEAST_COVER_ABROAD = 0.75, 0.9
"""Share of the claim's words that stand in the cue's scope, or before it as its subject."""

_ABROAD = frozenset(key for key, _, _ in WORLD)

_SIGNAL = 0.85
_SIGNALS = frozenset(
    {"believes", "argues", "may", "may have", "perhaps", "if", "question", "will", "without", "until", "ordered"}
)
"""Cues that are often dropped rightly, or whose scope is not sure."""

_REFUTING = frozenset({Reserve.UNTRUE, Reserve.FAILED, Reserve.FORMER})
_TURNED = frozenset({Reserve.DENIED, Reserve.UNTRUE, Reserve.FAILED, Reserve.TRIED})
"""Reserves that a negation before them undoes: "did not fail to"."""
_ASSERTING = frozenset({Reserve.SUPPOSED, Reserve.DENIED, Reserve.UNTRUE, Reserve.FAILED})
"""Reserves of which a negation in their scope may make an assertion: "had he not opened it"."""
_PERFECT = frozenset({"may have", "would have"})

_PRONOUNS = frozenset("he she it they i we you who this that his her its their these those".split())
_NOUN_BEFORE = frozenset("the a an of to this that its his her their".split())
_NEGATED = re.compile(r"(?:\b(?:not|never|no|cannot|without|nobody|hardly|little)|n['’]t)(?: \w+)?\s*$", re.IGNORECASE)
_RULE = re.compile(r"\b(?:must|may|can|should|shall|will|if|unless)\b", re.IGNORECASE)
_REPLY = re.compile(r"\b(?:it|he|she|they|yes|no)\b", re.IGNORECASE)
_CHINESE_DONE = re.compile(r"[了已过]")


class _Place(NamedTuple):
    """A word of a sentence with its key (see ``base``)."""

    word: Word
    key: str


@lru_cache(maxsize=8192)
def _places(words: tuple[Word, ...]) -> tuple[_Place, ...]:
    keys = (base(w.form) if w.stem else w.form if w.form[:1].isdigit() else "" for w in words)
    return tuple(_Place(word, key) for word, key in zip(words, keys, strict=True))


def judge_reserve(claim: Facts, evidence: FactEvidence) -> Iterator[Mismatch]:
    """The cue that withholds the claim: contradicted where the evidence says that it is not so, else not asserted."""
    if not evidence.nearest or evidence.nearest[0][1] < 0.3 or OWN_RESERVE.search(claim.text):
        return
    places = tuple(_Place(p.word, "" if p.key in SURELY else p.key) for p in _places(claim.words))
    content = frozenset(p.key for p in places if p.key)
    if len(content) < 2:
        return
    for sentence, cover in evidence.nearest:
        if cover < 0.3:
            return
        for cue in read_reserves(sentence.text):
            at = _predicate_in(cue, claim, places, content, sentence)
            if at is None or _is_asserted(places[at].key, content, sentence, evidence.sentences):
                continue
            span = _span(cue, places, at)
            yield Mismatch(
                kind=FactKind.RESERVE,
                span=span,
                claim_value=f"“{span.of(claim.text)}”",
                evidence_value=f"“{' '.join(_quoted(cue).of(sentence.text).split())}”",
                contradicts=cue.reserve in _REFUTING,
                weight=_SIGNAL if cue.key in _SIGNALS else EXACT,
            )
            return


def _quoted(cue: Cue) -> Span:
    return Span(min(cue.span.start, cue.scope.start), max(cue.span.end, cue.scope.end))


def _span(cue: Cue, places: Sequence[_Place], at: int) -> Span:
    """The claim's verb, where the cue stands before one; else all its words of meaning."""
    named = [places[at].word] if cue.predicate else [p.word for p in places if p.key]
    return Span(named[0].start, named[-1].end)


def _predicate_in(
    cue: Cue, claim: Facts, places: Sequence[_Place], content: frozenset[str], sentence: Facts
) -> int | None:
    """Which word of the claim holds its predicate, if the cue governs it."""
    theirs = [p for p in _places(sentence.words) if p.key]
    scope = [p for p in theirs if cue.scope.start <= p.word.start < cue.scope.end]
    inside = frozenset(p.key for p in scope)
    shared = content & inside
    if not shared or not _holds(cue, sentence, claim) or (cue.key in _PERFECT and not may_be_past(scope[0].word.form)):
        return None
    abroad = cue.key in _ABROAD
    opening = next((w.form for w in sentence.words if w.start >= cue.scope.start), "")
    subject_before = cue.predicate or abroad or opening in _PRONOUNS or cue.reserve is Reserve.PROPOSED
    reach = inside
    if subject_before:
        reach |= {p.key for p in theirs if p.word.start < cue.scope.start}
    lacking = [p.word for p in places if p.key and p.key not in reach]
    if lacking and subject_before and any(w.form in _PRONOUNS for w in sentence.words if w.start < scope[0].word.start):
        names = [p.word for p in places if p.key][:3]  # "He is accused of ...": the claim has the name instead
        lacking = [w for w in lacking if w not in names]
    least = _LEAST_COVER_ABROAD if abroad else _LEAST_COVER
    if len(lacking) > (1 - least) * len(content) or any(_is_hard(w, claim) for w in lacking):
        return None
    own = [n for n, p in enumerate(places) if p.key in inside]
    if cue.predicate:
        at = next((n for n in own if places[n].key == scope[0].key), None)
        if at is None or (len(shared) < 2 and len(content) > 2):
            return None
        rest = [p.key for p in places[at:] if p.key]
        if sum(key in inside for key in rest) < 0.5 * len(rest):
            return None
    else:
        if len(shared) < max(2, (0.3 if abroad else 0.5) * len(content)):
            return None
        at = next((n for n in own if may_be_past(places[n].word.form)), own[0])
    return at if _tense_fits(claim, at, cue) else None


def _holds(cue: Cue, sentence: Facts, claim: Facts) -> bool:
    """Whether the cue withholds its scope as it stands there: not negated itself, not settled in the same sentence."""
    text = sentence.text
    before, scope, rest = text[: cue.span.start], cue.scope.of(text), text[cue.scope.end :]
    if (cue.reserve in _TURNED and _NEGATED.search(before)) or (cue.reserve in _ASSERTING and NOT.search(scope)):
        return False
    if cue.key == "if" and not before.strip(" “\"'(") and not rest.startswith(","):
        return False  # without a comma nobody knows where the condition ends
    if cue.key == "without" and (NOT.search(before) or _RULE.search(before)):
        return False
    if cue.reserve is Reserve.FICTION and not REALLY.search(claim.text):
        return False
    if cue.reserve is Reserve.ASKED and _REPLY.search(rest):
        return False
    return not any(DONE.search(part) for part in (before, scope, rest))


def _is_hard(word: Word, claim: Facts) -> bool:
    """Whether the word belongs to a number, date or name of the claim."""
    facts = (*claim.facts, *claim.counted)
    return word.form[:1].isdigit() or any(f.span.start <= word.start < f.span.end for f in facts)


def _tense_fits(claim: Facts, at: int, cue: Cue) -> bool:
    """Whether the claim says in its tense what the cue withholds: a plan as done, a former state as present."""
    words = claim.words
    form = words[at].form
    before = {w.form for w in words[max(0, at - 4) : at]}
    if cue.predicate and cue.reserve is not Reserve.FORMER and at and words[at - 1].form in _NOUN_BEFORE:
        return False
    past = may_be_past(form) and ("been" in before or not before & {"is", "are", "be"})
    if cue.reserve is Reserve.PLANNED:
        return _CHINESE_DONE.search(claim.text) is not None if is_cjk(cue.key[0]) else past
    if cue.reserve is Reserve.TRIED:
        return not form.endswith("ing")
    if cue.reserve is Reserve.FORMER:
        if before & {"was", "were", "had"}:
            return False
        if cue.key == "former":
            return TODAY.search(claim.text[: words[at].start]) is not None
        return TODAY.search(claim.text) is not None if cue.key == "until" else not past
    return True


def _is_asserted(head: str, content: frozenset[str], own: Facts, sentences: Sequence[Facts]) -> bool:
    """Whether some part of the evidence says the same without reserve, or says that it came about."""
    for sentence in sentences:
        keys = {p.key for p in _places(sentence.words) if p.key}
        shared = content & keys
        if not shared:
            continue
        if sentence is not own and DONE.search(sentence.text):
            return True
        scopes = [cue.scope for cue in read_reserves(sentence.text)]
        free = shared & {
            p.key for p in _places(sentence.words) if not any(s.start <= p.word.start < s.end for s in scopes)
        }
        if head in free and not is_cjk(head[0]) and (sentence is not own or len(free) >= 2):
            return True
        if sentence is not own and len(free) >= 0.7 * len(content):
            return True
    return False
