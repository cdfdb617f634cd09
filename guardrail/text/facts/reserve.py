"""Evidence must assert the claim: what a passage only reports, denies, plans, supposes or nearly saw supports nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.facts.alignment import FactEvidence
from guardrail.text.facts.fact import Facts
from guardrail.text.facts.reserve_cues import Cue, Reach, Reserve, read_reserves
from guardrail.text.facts.verb_forms import base, may_be_past
from guardrail.text.words import Word
from guardrail.types import Span

_NOUN_BEFORE = frozenset("the a an of to this that its his her their".split())
_LEAST_COVER = 0.75
_PRONOUNS = frozenset("he she it they i we you who this that his her its their these those".split())

_OWN = re.compile(
    r"\b(?:sa(?:y|ys|id)|according|report(?:s|ed|edly)?|rumou?r\w*|alleg\w*|claim\w*|accus\w*|suspect\w*|suspicion|suppos\w*"
    r"|believ\w*|thought|think\w*|assum\w*|presum\w*|opinion|view\w*|argu\w*|suggest\w*|insist\w*|maintain\w*|contend\w*"
    r"|may|might|could|can|would|should|will|shall|must|if|unless|provided|whether|perhaps|possib\w+|probabl\w+|maybe"
    r"|likely|unlikely|apparent\w*|seem\w*|appear\w*|potential\w*|unclear|unknown|unproven|uncertain|unconfirmed|open"
    r"|plan\w*|intend\w*|intention\w*|hop(?:e|es|ed|ing)|aim\w*|want\w*|wish\w*|expect\w*|promis\w*|threat\w*|pledg\w*"
    r"|vow\w*|propos\w*|motion|draft\w*|offer\w*|due|set to|scheduled|projected|predict\w*|forecast\w*|going to|about to"
    r"|estimat\w*|consider\w*|discuss\w*|talks|dream\w*|anticipat\w*|schedul\w*|target\w*|goal|upcoming|future|pending"
    r"|next|not|no|never|none|neither|nor|without|nobody|nothing|hardly|barely|den(?:y|ies|ied|ial|ials|ying)|reject\w*"
    r"|refus\w*|disput\w*|dismiss\w*|fail\w*|unable|almost|nearly|close to|narrowly|tr(?:y|ies|ied|ying)|attempt\w*|sought"
    r"|seek\w*|pretend\w*|forg[eo]t\w*|avoid\w*|declin\w*|prevent\w*|former\w*|once|used to|previous\w*|until|ex|past"
    r"|earlier|ago|back then|originally|at first|myth|misconception|wrong\w*|false\w*|untrue|incorrect\w*|mistak\w*"
    r"|error\w*|novel|film|fiction\w*|story|tale|play|series|legend|hypothe\w*|imagin\w*|theor\w*|question\w*|ask\w*"
    r"|wonder\w*|doubt\w*|investigat\w*|instead of|rather than|prepar\w*|agree\w*|decid\w*|decision|order\w*|told|sceptic\w*|skeptic\w*|convinc\w*|lack\w*|ahead|too|only|regret\w*|fear\w*|charged|trial|oppos\w*|against)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
"""Words with which a claim keeps a reserve of its own, or speaks of one."""
_NOW = re.compile(r"\b(?:is|are|remains?|serves?|works?|now|current(?:ly)?|today|still|at present|has been)\b", re.IGNORECASE)
_REALLY = re.compile(r"\b(?:really|actually|in (?:real life|reality|fact)|true story)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|no|cannot|nobody|none|neither|nor)\b|n['’]t\b", re.IGNORECASE)
_JUST_NOT = re.compile(r"(?:\b(?:not|never|no|cannot|without|nobody|hardly|little)|n['’]t)(?: \w+)?\s*$", re.IGNORECASE)
_RULED = re.compile(r"\b(?:must|may|can|should|shall|will|if|unless)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:indeed|did so|went ahead|as (?:planned|predicted|promised|expected|announced|feared)|carried out|took effect"
    r"|in force|come true|came true|succeed(?:ed|s)|managed to|eventually|finally|in the end|at first|initially|originally"
    r"|gave in|later|has since|have since|(?:was|were|proved) right|(?<!not )confirm(?:s|ed)|admit(?:s|ted)|confess(?:es|ed)"
    r"|convicted|(?<!not )proved|(?<!not )proven|(?<!not )established|turned out|turns out|completed|finished|yes)\b",
    re.IGNORECASE,
)
"""Words with which the rest of the evidence may turn a plan, a rumour or a try into a fact."""
_TURNS = frozenset({Reserve.DENIED, Reserve.UNTRUE, Reserve.FAILED, Reserve.TRIED})
"""Reserves that a negation undoes: "did not fail to"."""
_OPEN = frozenset({Reserve.SUPPOSED, Reserve.DENIED, Reserve.UNTRUE, Reserve.FAILED})
"""Reserves of which a negation inside their scope may make an assertion: "had he not opened it"."""


class Withheld(NamedTuple):
    """A claim that the nearest evidence holds back: the cue, the sentence, and the words of the claim."""

    cue: Cue
    sentence: Facts
    span: Span
    cover: float


_SURELY = frozenset(base(w) for w in "certain definite really actual proven fact sure settled truth reality confirmed established".split())
"""Words by which a claim insists: they need not stand in the evidence."""


def _token(word: Word) -> str:
    return base(word.form) if word.stem else (word.form if word.form[:1].isdigit() else "")


@lru_cache(maxsize=8192)
def _tokens(words: tuple[Word, ...]) -> tuple[str, ...]:
    return tuple(_token(word) for word in words)


def withheld(claim: Facts, evidence: FactEvidence) -> Iterator[Withheld]:
    """Cues of the evidence in whose scope the claim lies, although the claim has no reserve."""
    if _OWN.search(claim.text):
        return
    wanted = tuple("" if t in _SURELY else t for t in _tokens(claim.words))
    content = frozenset(t for t in wanted if t)
    if len(content) < 2:
        return
    for sentence, cover in evidence.nearest:
        if cover < 0.3:
            break
        for cue in read_reserves(sentence.text):
            span = _lies_in(claim, wanted, content, sentence, cue)
            if span is not None and not _asserted(claim, content, wanted, span, cue, sentence, evidence.sentences):
                yield Withheld(cue, sentence, span, cover)


def _binds(cue: Cue, sentence: Facts, claim: Facts) -> bool:
    """Whether the cue withholds its scope as it stands there: not negated itself, not settled by the same sentence."""
    text = sentence.text
    before, scope, rest = text[: cue.span.start], cue.scope.of(text), text[cue.scope.end :]
    if cue.reserve in _TURNS and _JUST_NOT.search(before):
        return False
    if cue.reserve in _OPEN and _NOT.search(scope):
        return False
    if cue.name == "without" and (_NOT.search(before) or _RULED.search(before)):
        return False
    if cue.reserve is Reserve.FICTION and not _REALLY.search(claim.text):
        return False
    if cue.reserve is Reserve.ASKED and re.search(r"\b(?:it|he|she|they|yes|no)\b", rest, re.IGNORECASE):
        return False
    return not any(_DONE.search(part) for part in (before, scope, rest))


def _lies_in(claim: Facts, wanted: tuple[str, ...], content: frozenset[str], sentence: Facts, cue: Cue) -> Span | None:
    """Where in the claim its predicate stands, if the cue governs it."""
    theirs = _tokens(sentence.words)
    places = [(w, t) for w, t in zip(sentence.words, theirs, strict=True) if t]
    scope = [(w, t) for w, t in places if cue.scope.start <= w.start < cue.scope.end]
    if not scope:
        return None
    inside = frozenset(t for _, t in scope)
    shared = content & inside
    if not shared or not _binds(cue, sentence, claim):
        return None
    opening = next((w.form for w in sentence.words if w.start >= cue.scope.start), "")
    with_subject = cue.reach is Reach.PREDICATE or opening in _PRONOUNS or cue.reserve is Reserve.PROPOSED
    reach = inside
    if with_subject:
        reach |= frozenset(t for w, t in places if w.start < cue.scope.start)
    lacking = [w for w, t in zip(claim.words, wanted, strict=True) if t and t not in reach]
    if with_subject and lacking and any(w.form in _PRONOUNS for w in sentence.words if w.start < scope[0][0].start):
        lead = [w for w in claim.words if _token(w)][:3]  # "He is accused of ...": the claim has the name instead
        lacking = [w for w in lacking if w not in lead]
    if len(lacking) > (1 - _LEAST_COVER) * len(content) or any(_is_hard(w, claim) for w in lacking):
        return None
    if cue.reach is Reach.CLAUSE:
        if len(shared) < 2 or (with_subject and len(shared) < 0.5 * len(content)):
            return None
        own = [n for n, t in enumerate(wanted) if t in inside]
        at = next((n for n in own if may_be_past(claim.words[n].form)), own[0])
    else:
        heads = [n for n, t in enumerate(wanted) if t == scope[0][1]]
        if not heads or not (len(shared) >= 2 or len(content) <= 2):
            return None
        at = heads[0]
        tail = [t for t in wanted[at:] if t]
        if sum(t in inside for t in tail) < 0.6 * len(tail):
            return None
    return Span(claim.words[at].start, claim.words[at].end) if _tense_fits(claim, at, cue) else None


def _is_hard(word: Word, claim: Facts) -> bool:
    """Whether the word belongs to a number, date or name of the claim."""
    facts = (*claim.facts, *claim.counted)
    return word.form[:1].isdigit() or any(f.span.start <= word.start < f.span.end for f in facts)


def _tense_fits(claim: Facts, at: int, cue: Cue) -> bool:
    """Whether the claim says in its tense what the cue withholds: a plan is not yet done, a former state not present."""
    words = claim.words
    form = words[at].form
    before = {w.form for w in words[max(0, at - 4) : at]}
    if cue.reach is Reach.PREDICATE and cue.name != "former" and at and words[at - 1].form in _NOUN_BEFORE:
        return False
    past = may_be_past(form) and ("been" in before or not before & {"is", "are", "be"})
    if cue.reserve is Reserve.PLANNED:
        return past
    if cue.reserve is Reserve.TRIED:
        return not form.endswith("ing")
    if cue.reserve is Reserve.FORMER:
        if before & {"was", "were", "had"}:
            return False
        if cue.name == "former":
            return _NOW.search(claim.text[: words[at].start]) is not None
        return _NOW.search(claim.text) is not None if cue.name == "until" else not past
    return True


def _asserted(
    claim: Facts, content: frozenset[str], wanted: tuple[str, ...], span: Span, cue: Cue, own: Facts, sentences: Iterable[Facts]
) -> bool:
    """Whether some part of the evidence says the same without reserve, or says that it came about."""
    head = next(t for w, t in zip(claim.words, wanted, strict=True) if w.start == span.start)
    for sentence in sentences:
        cues = [c for c in read_reserves(sentence.text)]
        theirs = _tokens(sentence.words)
        free = {
            t
            for w, t in zip(sentence.words, theirs, strict=True)
            if t and not any(c.scope.start <= w.start < c.scope.end for c in cues)
        }
        shared = free & content
        if sentence is not own and _DONE.search(sentence.text) and content & set(theirs):
            return True
        if head in shared and (len(shared) >= 2 or sentence is not own):
            return True
        if sentence is not own and len(shared) >= 0.7 * len(content):
            return True
    return False
