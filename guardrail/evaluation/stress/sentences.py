"""One sentence in, its wrong and its right versions out: what augments training data and what ``inject`` builds on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from random import Random

from guardrail.evaluation.stress.change import Change, Rule, Source
from guardrail.evaluation.stress.chinese import CHINESE, CHINESE_REWORDING
from guardrail.evaluation.stress.concepts import neighbouring_concept
from guardrail.evaluation.stress.entities import ENTITIES
from guardrail.evaluation.stress.figures import FIGURES
from guardrail.evaluation.stress.inventions import added_remark
from guardrail.evaluation.stress.logic import LOGIC
from guardrail.evaluation.stress.polarity import POLARITY
from guardrail.evaluation.stress.rewording import ENGLISH_REWORDING
from guardrail.evaluation.stress.scopes import SCOPES
from guardrail.types import ErrorType, Span

MAX_SENTENCE = 600
"""Characters; longer sentences are lists or run-together text, and no rule is sure of those."""

_ENGLISH: tuple[Rule, ...] = (
    *FIGURES, *POLARITY, *ENTITIES, neighbouring_concept, *SCOPES, *LOGIC, added_remark,
)  # fmt: skip
_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTERS = re.compile(r"[^\W\d_]")
_UNFIT = re.compile(r"[?？\n\t|<>{}]|^[^\w\"“(]|^\S+: [A-Z]|\.\.|…|\bQ:|\bA:|\u2028")
_PLAIN = re.compile(r"[\W_]+")


def is_chinese(text: str) -> bool:
    """Whether a third or more of the letters are Han."""
    return 3 * len(_HAN.findall(text)) >= max(len(_LETTERS.findall(text)), 1)


def fit(sentence: str) -> bool:
    """Whether a sentence is a plain statement that the rules may be sure of; questions, dialogue, tables are not."""
    if len(sentence) > MAX_SENTENCE or _UNFIT.search(sentence):
        return False
    if is_chinese(sentence):
        return len(sentence) >= 8 and sentence.endswith("。")
    return sentence.endswith(".") and 4 <= len(sentence.split()) <= 70 and sentence[0].upper() == sentence[0]


def changes(sentence: str, rng: Random, *, others: Sequence[str]) -> list[Change]:
    """As ``wrong_versions``, with the stretches that are wrong and the rule that made each."""
    if not fit(sentence):
        return []
    source = Source(sentence, tuple(other for other in others if other != sentence))
    rules = CHINESE if is_chinese(sentence) else _ENGLISH
    stated = " ".join(map(_flat, (sentence, *source.others)))
    kept: dict[str, Change] = {}
    for rule in rules:
        for change in rule(source, rng):
            if _flat(change.text) not in stated:
                spans = tuple(_tight(change.text, span) for span in change.spans)
                kept.setdefault(change.text, change._replace(spans=spans, rule=rule.__name__))
    return list(kept.values())


def wrong_versions(sentence: str, rng: Random, *, others: Sequence[str]) -> list[tuple[ErrorType, str]]:
    """Ways to make one sentence wrong, each by a single error.

    Args:
        sentence: A sentence of a passage, English or Chinese.
        rng: Draws the new numbers, words and clauses; the same state gives the same versions.
        others: The other sentences of its passages. What they state is never offered, and they lend other facts.

    Returns:
        (error type, sentence) pairs, grammatical and not supported by the passages; empty where no rule is sure.
    """
    return [(change.kind, change.text) for change in changes(sentence, rng, others=others)]


def right_versions(sentence: str, rng: Random, *, others: Sequence[str] = ()) -> list[str]:
    """Rewordings of one sentence that stay true; ``others`` help to tell names from nouns. May be empty."""
    if not fit(sentence):
        return []
    source = Source(sentence, tuple(others))
    rules = CHINESE_REWORDING if is_chinese(sentence) else ENGLISH_REWORDING
    found = dict.fromkeys(text for rule in rules for text in rule(source, rng))
    return [text for text in found if text != sentence]


def _tight(text: str, span: Span) -> Span:
    """The span without spaces and commas at its ends."""
    inner = span.of(text)
    start = span.start + len(inner) - len(inner.lstrip(" ,，"))
    return Span(start, start + len(inner.strip(" ,，")))


@lru_cache(maxsize=4096)
def _flat(text: str) -> str:
    return _PLAIN.sub(" ", text.casefold()).strip()
