"""Negating words and antonyms, and whether claim and evidence say the same thing with opposite signs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from guardrail.text.facts.alignment import FactEvidence
from guardrail.text.facts.fact import Fact, FactKind, Facts, Mismatch, PolarityCue, mismatch
from guardrail.text.wording import opening
from guardrail.text.words import Word
from guardrail.types import Span

_NEGATORS = frozenset("not no never neither nor none nobody nothing nowhere cannot can't won't".split())
_IMPLICIT = frozenset(
    """unless only except hardly barely rarely seldom few little fail failed fails lack lacks lacked refuse refused
    instead rather stop stopped stops prevent prevents avoid avoids than too until otherwise if whether
    unable""".split()
)
_PAIRS = """open/closed allow/forbid allowed/forbidden permitted/prohibited increase/decrease increased/decreased
    rise/fall rose/fell rising/falling raise/lower raised/lowered raises/lowers more/less more/fewer higher/lower
    larger/smaller faster/slower longer/shorter older/younger heavier/lighter warmer/colder cheaper/dearer
    before/after earlier/later first/last include/exclude included/excluded includes/excludes accept/reject
    accepted/rejected accepts/rejects success/failure succeeded/failed always/never all/none above/below upper/lower
    north/south east/west left/right start/end started/ended begins/ends best/worst strongest/weakest highest/lowest
    maximum/minimum won/lost gain/loss gained/lost safe/unsafe possible/impossible able/unable likely/unlikely
    required/optional mandatory/voluntary public/private enabled/disabled enable/disable buy/sell bought/sold
    arrive/depart inside/outside stronger/weaker greater/lesser strengthened/weakened improves/worsens expand/shrink
    widened/narrowed approved/rejected morning/evening indoors/outdoors wet/dry hot/cold day/night agree/disagree
    agreed/disagreed""".split()
_RELATIONAL = frozenset(
    """before/after earlier/later more/less more/fewer first/last start/end buy/sell bought/sold older/younger
    above/below""".split()
)
"""Pairs that a rewording may swap together with the things compared ("A after B", "B before A")."""
_SIDE: dict[str, list[tuple[str, int]]] = {}
for _entry in _PAIRS:
    for _side, _word in enumerate(_entry.split("/")):
        _SIDE.setdefault(_word, []).append((_entry, _side))
_CHINESE = re.compile(
    r"不(?!少于|低于|超过|足|同|仅|但|过|管|论|断|得不|满|到|多于|止|只)|没有?|未(?!来|必)|无(?!论|关紧要)|非(?!常|洲)|别(?=再|去|用)|勿"
)


def read_cues(text: str, words: tuple[Word, ...]) -> tuple[PolarityCue, ...]:
    """Negating words and antonyms of the text, each with the two content stems that follow and the one before."""
    cues: list[PolarityCue] = []
    last_negation = -9
    for index, word in enumerate(words):
        negating = word.form in _NEGATORS or word.form.endswith("n't")
        sides = _SIDE.get(word.form)
        if not negating and not sides:
            continue
        if index == 0 and opening(text, word.start):  # it answers the question and negates nothing of its sentence
            continue
        after = [w.stem for w in words[index + 1 : index + 5] if w.stem][:2]
        span = Span(word.start, word.end)
        if negating:
            last_negation = index
            cues.append(PolarityCue("", 0, span, tuple(after[:1])))
        elif sides:
            before = [w.stem for w in words[max(0, index - 4) : index] if w.stem][-1:]
            negated = index - last_negation <= 3
            cues += (PolarityCue(pair, side, span, (*before, *after), negated) for pair, side in sides)
    if not text.isascii():
        cues += (
            PolarityCue("", 0, Span(*m.span()), tuple(text[m.end() : m.end() + 2])) for m in _CHINESE.finditer(text)
        )
    return tuple(cues)


def are_opposed(one: str, other: str) -> bool:
    """Whether two words are the two sides of an antonym pair."""
    return any((pair, 1 - side) in _SIDE.get(other, ()) for pair, side in _SIDE.get(one, ()))


def _implicit(forms: frozenset[str]) -> bool:
    """Whether some word of the text turns its sense without being a negation."""
    return not _IMPLICIT.isdisjoint(forms)


def _opposed(cue: PolarityCue, others: tuple[PolarityCue, ...], own: tuple[PolarityCue, ...]) -> PolarityCue | None:
    """The cue on the other side of an antonym pair, where neither text has both sides."""
    if not cue.pair or any(c.pair == cue.pair and c.side != cue.side for c in own):
        return None
    there = [c for c in others if c.pair == cue.pair]
    if not there or any(c.side == cue.side for c in there):
        return None
    return there[0] if there[0].negated == cue.negated else None


def judge_polarity(claim: Facts, evidence: FactEvidence) -> Iterable[Mismatch]:
    """Opposite signs of claim and the sentence nearest to it; sure only where the two share nearly all words."""
    if not evidence.nearest or any(s.text == claim.text for s in evidence.sentences):
        return
    sentence, cover = evidence.nearest[0]
    if cover < 0.5:
        return
    weight = min(0.7, 0.1 + 0.6 * cover)
    if _implicit(claim.forms) != _implicit(sentence.forms):
        weight -= 0.2
    cjk = bool(claim.bag) and min(claim.bag) >= "\u3400"
    for cue in claim.negated:
        turned = _opposed(cue, sentence.negated, claim.negated)
        if turned is not None:
            shared = set(cue.scope) & set(turned.scope)
            doubt = 0.25 * (not shared and not cjk) + 0.15 * (cue.pair in _RELATIONAL and cover < 0.85)
            yield _polarity(claim, cue.span.start, cue.span.end, turned.span.of(sentence.text), weight - doubt)
    negations = [c for c in claim.negated if not c.pair]
    theirs = [c for c in sentence.negated if not c.pair]
    if len(negations) == len(theirs) or abs(len(negations) - len(theirs)) > 1:
        return
    for cue in negations:
        if not theirs and cue.scope and cue.scope[0] in sentence.bag:
            yield _polarity(claim, cue.span.start, cue.span.end, None, weight - 0.1)
    if not negations:
        for cue in theirs:
            word = next((w for w in claim.words if cue.scope and w.stem == cue.scope[0]), None)
            if word is not None:
                yield _polarity(claim, word.start, word.end, cue.span.of(sentence.text), weight - 0.1)


def _polarity(claim: Facts, start: int, end: int, said: str | None, weight: float) -> Mismatch:
    fact = Fact(kind=FactKind.NEGATION, span=Span(start, end), value="", surface=claim.text[start:end])
    return mismatch(fact, max(0.1, weight), said or "not negated")
