"""The gate: hard facts of a claim that the evidence does not support, which small NLI models tend to miss."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from guardrail.text.facts.agents import judge_agents
from guardrail.text.facts.alignment import FactEvidence, align
from guardrail.text.facts.amounts import read_amounts
from guardrail.text.facts.dates import read_moments
from guardrail.text.facts.displaced import judge_displaced
from guardrail.text.facts.exchange import judge_exchange
from guardrail.text.facts.fact import Amount, Fact, FactKind, Facts, Mismatch, Moment
from guardrail.text.facts.items import read_items
from guardrail.text.facts.modality import judge_force
from guardrail.text.facts.names import initials_of, read_names, read_quotes
from guardrail.text.facts.neighbours import judge_neighbours
from guardrail.text.facts.numbers import plain_digits
from guardrail.text.facts.polarity import judge_polarity, read_cues
from guardrail.text.facts.reserve import judge_reserve
from guardrail.text.facts.support import judge_amount, judge_moment, judge_name, judge_quote
from guardrail.text.facts.voice import judge_voice
from guardrail.text.words import read_words

_COMPUTING = frozenset(
    """more less fewer later earlier longer shorter older younger heavier lighter higher lower larger smaller faster
    slower cheaper total together altogether combined overall sum difference apart between gap times twice half halved
    double doubled doubling triple tripled average each per every another further additional extra remaining rest other
    others last exceed exceeds exceeding over under almost nearly about around roughly took lasted span spanned within
    afterwards after before since until age aged old left ahead behind only even still up to"""
    .split()
)  # fmt: skip
_SUPPOSING = re.compile(
    r"^\s*(?:an?|anyone|someone|somebody|anybody|no|nobody|whoever|without|on\san?|in|for\san?|if|at|two|choosing|where|from)\b"
    r"|\b(?:would|could|if|who|whose|when|only|just|even|may|can|cannot)\b|如果|若|要|可以|只有|时|即便|仅|一[个位名辆件间]|的(?:人|客人|用户|游客|顾客)",
    re.IGNORECASE,
)
_COMPUTING_CJK = tuple("多 少 共 差 比 倍 晚 早 后 前 余 剩 每 相隔 总 合计 岁 历时".split())


@lru_cache(maxsize=8192)
def extract(text: str) -> Facts:
    """Read the hard facts of a text.

    Args:
        text: One sentence or a short passage, English or Chinese. Cached, so sentences may be passed again and again.

    Returns:
        The facts in text order, with what ``compare`` needs beside them. Spans are offsets in ``text``.
    """
    plain = plain_digits(text)
    words = read_words(plain)
    dates = [
        Fact(kind=FactKind.DATE, span=span, value=moment, surface=span.of(text)) for span, moment in read_moments(plain)
    ]
    taken = [date.span for date in dates]
    amounts, slight = read_amounts(plain, words, taken)
    if plain != text:
        amounts = [replace(f, surface=f.span.of(text)) for f in amounts]
        slight = [replace(f, surface=f.span.of(text)) for f in slight]
    quotes = read_quotes(text)
    names = read_names(text, words, taken)
    facts = sorted([*dates, *amounts, *names, *quotes], key=lambda f: f.span)
    forms = frozenset(w.form for w in words)
    computing = _COMPUTING & forms
    if not text.isascii():
        computing |= {c for c in _COMPUTING_CJK if c in text}
    return Facts(
        text=text,
        facts=tuple(facts),
        counted=(*dates, *amounts, *slight),
        negated=read_cues(text, words),
        words=words,
        bag=frozenset(w.stem for w in words if w.stem),
        forms=forms,
        initials=initials_of(text, words),
        computing=computing,
        items=read_items(plain, words, (*dates, *amounts, *slight)),
        supposing=frozenset(m.group().casefold() for m in _SUPPOSING.finditer(text)),
    )


def compare(claim: Facts, evidence: Sequence[Facts]) -> tuple[Mismatch, ...]:
    """What the claim says against the evidence, or beyond it: missing facts, and those put another way.

    Polarity is compared with the nearest sentence only, reserve and force (may, must) with the few nearest ones;
    places and neighbours of values with all.

    Args:
        claim: The claim.
        evidence: The sentences that may support it; two that stand next to each other are also read as one. Without
            any there is nothing to compare.

    Returns:
        The mismatches in text order; ``weight`` from 0.5 on rarely fires on a true claim.
    """
    if not evidence:
        return ()
    known = align(claim, evidence)
    neighbours = list(judge_neighbours(claim, evidence))
    exchanged = list(judge_exchange(claim, evidence)) or list(judge_voice(claim, evidence))
    missing = _missing(claim, known)
    named = {mismatch.span for mismatch in (*missing, *neighbours)}
    found = [
        *missing,
        *judge_polarity(claim, known),
        *judge_reserve(claim, known),
        *judge_force(claim, known),
        *exchanged,
        *(mismatch for mismatch in judge_agents(claim, evidence) if not exchanged),
        *neighbours,
        *(mismatch for mismatch in judge_displaced(claim, evidence) if mismatch.span not in named),
    ]
    return _in_order(found)


def missing_facts(claim: Facts, evidence: Sequence[Facts]) -> tuple[Mismatch, ...]:
    """Of ``compare`` the values, names and quotations alone, which costs a part of it.

    A fact that occurs anywhere in the evidence is supported, and so is a number that follows from numbers of the
    sentences nearest to the claim.
    """
    return _in_order(_missing(claim, align(claim, evidence))) if evidence else ()


def _missing(claim: Facts, known: FactEvidence) -> list[Mismatch]:
    found = []
    for fact in claim.facts:
        if isinstance(fact.value, Amount):
            missed = judge_amount(claim, fact, fact.value, known)
        elif isinstance(fact.value, Moment):
            missed = judge_moment(claim, fact, fact.value, known)
        elif fact.kind is FactKind.NAME:
            missed = judge_name(fact, known)
        else:
            missed = judge_quote(fact, known)
        if missed is not None:
            found.append(missed)
    return found


def _in_order(found: Sequence[Mismatch]) -> tuple[Mismatch, ...]:
    return tuple(sorted(found, key=lambda m: (m.span, m.kind)))
