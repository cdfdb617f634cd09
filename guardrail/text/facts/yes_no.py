"""An answer that opens with yes or no and goes on to say the opposite: "Is it open?" "Yes, it is closed"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from guardrail.text.facts.fact import EXACT, Fact, FactKind, Facts, Mismatch, mismatch
from guardrail.text.facts.polarity import are_opposed
from guardrail.text.sentences import split_sentences
from guardrail.text.wording import opening
from guardrail.text.words import Word
from guardrail.types import Span

_ASKS = re.compile(r"\s*(?P<verb>[a-z]+)\b[^?;:]*\?\s*$", re.IGNORECASE)
_CHINESE_ASKS = re.compile(r"[吗么][？?]\s*$|[能可是有]不[能可是有]|是否|能否|可否|有没有")
_CLAUSES = re.compile(r"[，,；;]")
_BOUGHT = re.compile(r"(?!.*[说称写讲谁什哪几吗])(?!.*(?:认为|多少|还是)).{1,16}是[^是]{1,16}[买购]的")
"""What was bought is the asker's, who asks what to do with it: "机器是去年11月买的，能修吗？"."""

_MAY = re.compile(r"能|可以|可否")

_SUPPOSES = re.compile(r"如果|要是|假如|假设|假使|若|的话|听说|据说|说是")
_TAG = re.compile(
    r"\s*(?:是真的|真的|是这样|这样|是|对|没错)?\s*(?:[吗么]|是不是(?:真的|这样)?|对不对|有没有这回事)[？?。]?\s*"
)
_END = re.compile(r"\s*[.;!]|\s*$|,?\s(?:because|as|since)\b", re.IGNORECASE)
_VERBS = frozenset(
    "is are was were am do does did can could will would has have had may might must should shall be".split()
)
_PASSED_OVER = frozenset("the a an this that these those your my our his her its their you i we me us".split())
_PRONOUNS = frozenset("it they he she".split())
_LONGEST_SUBJECT = 3


def stated_in(question: str) -> str:
    """The question without what asks for a yes or no, which is open: sentences, of Chinese ones the clauses."""
    sentences = [span.of(question) for span in split_sentences(question)]
    return " ".join(_stated(sentence) for sentence in sentences)


def _stated(sentence: str) -> str:
    """What a sentence says of the asker before it asks: "我预约了九点的检查" of "我预约了九点的检查，能不能开车？"."""
    if not _is_open(sentence):
        return sentence
    clauses = _CLAUSES.split(sentence) if _CHINESE_ASKS.search(sentence) else []
    asks = next((n for n, clause in enumerate(clauses) if _CHINESE_ASKS.search(clause)), 0)
    if asks == 0 or _TAG.fullmatch(clauses[asks]):
        return ""
    own = (c for c in clauses[:asks] if "我" in c or (_MAY.search(clauses[asks]) and _BOUGHT.fullmatch(c)))
    return "，".join(c for c in own if not _SUPPOSES.search(c))


def _is_open(sentence: str) -> bool:
    asks = _ASKS.match(sentence)
    return (asks is not None and asks["verb"].lower() in _VERBS) or _CHINESE_ASKS.search(sentence) is not None


class _Kernel(NamedTuple):
    """The words of a sentence that it shares with its question, and whether its verb is negated."""

    words: tuple[Word, ...]
    denials: int


def judge_yes_no(claim: Facts, question: Facts | None) -> Mismatch | None:
    """The opening yes or no, where the sentence behind it is the question's own words with the opposite sign.

    Anything else in the sentence (another preposition, "at no cost", a condition, another order) may answer something
    that was not asked, so it is left alone.

    Args:
        claim: A segment of the answer.
        question: What the user asked.

    Returns:
        A mismatch that decides alone, or None.
    """
    opened, asks = opening(claim.text), _ASKS.match(question.text) if question else None
    if question is None or opened is None or asks is None or asks["verb"].lower() not in _VERBS:
        return None
    asked = _kernel(question.words[1:])
    end = _END.search(claim.text, opened.end())
    stop = end.start() if end else len(claim.text)
    said = _kernel([word for word in claim.words if opened.end() <= word.start < stop])
    if question.words[1:] and question.words[1].form in _PRONOUNS:  # the answer may name what "it" is
        asked, said = _without_pronouns(asked), _without_pronouns(said)
        named = len(said.words) - len(asked.words)
        if 0 < named <= _LONGEST_SUBJECT:
            said = said._replace(words=said.words[named:])
    if asked.denials or len(asked.words) < 2 or len(said.words) != len(asked.words):
        return None
    opposed = 0
    for one, other in zip(asked.words, said.words, strict=True):
        if are_opposed(one.form, other.form):
            opposed += 1
        elif (one.stem or one.form) != (other.stem or other.form):
            return None
    denied = (said.denials + opposed) % 2 == 1
    if said.denials + opposed > 1 or denied == (opened["word"].lower() == "no"):
        return None
    span = Span(*opened.span("word"))
    fact = Fact(kind=FactKind.YES_NO, span=span, value="", surface=span.of(claim.text))
    return mismatch(fact, EXACT, claim.text[opened.end() : stop].strip())


def _kernel(words: Sequence[Word]) -> _Kernel:
    kept, denials, before = [], 0, ""
    for word in words:
        denies = word.form == "cannot" or word.form.endswith("n't")
        if denies or (word.form in {"not", "never"} and before in _VERBS):
            denials += 1
        elif word.form not in _VERBS and word.form not in _PASSED_OVER:
            kept.append(word)
        before = word.form
    return _Kernel(tuple(kept), denials)


def _without_pronouns(kernel: _Kernel) -> _Kernel:
    return kernel._replace(words=tuple(word for word in kernel.words if word.form not in _PRONOUNS))
