"""A sentence of a passage that can stand in an answer by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.check.decompose import decompose
from guardrail.check.decompose.connectives import Link, discourse_link
from guardrail.text.language import language
from guardrail.text.orders import gives_orders
from guardrail.text.passages import around
from guardrail.text.words import content_words
from guardrail.types import Evidence, Passage, Span

_POINTS_BACK = re.compile(
    r"(?:he|his|she|her|it|its|they|their|this|that|these|those|there|such|both|neither|another|others?|one|the\ same"
    r"|the\ (?:former|latter|other|second|two)|also|too|only\ then)\b|[他她它其此该這这那]|两者|二者|前者|后者",
    re.IGNORECASE | re.VERBOSE,
)
_POINTS_ANYWHERE = re.compile(
    r"\b(?:the former|the latter|as (?:above|before|below)|see (?:above|below))\b|如上|如下|前者|后者"
)
_UNFIT = re.compile(r"[\n\r|<>{}`\[\]?？]|https?:|www\.|!\(|\*\*|__|^\W*#")
_ENDS = tuple(".!。！")
_MOST_WORDS = 60
_LEAST_WORDS = 3
_SUPPORTED = 0.85
"""Share of the content words of a remainder that the evidence must have for it to stay."""

_SPEAKS = 0.5
"""Share of the replaced sentence's content words that the evidence must have to speak of the same."""


def standalone_evidence(
    said: str, evidence: Sequence[Evidence], passages: Sequence[Passage]
) -> tuple[str, Evidence] | None:
    """The evidence sentence that says in place of ``said`` what the passages say, and where it stands.

    It speaks of the same, is one plain statement in the same language, gives no orders to a model and points at
    nothing outside: a leading pronoun is resolved from the passage, else its title is put before it.
    """
    wanted = set(content_words(said))
    of = {passage.id: number for number, passage in enumerate(passages)}
    found: list[tuple[float, str, Evidence]] = []
    for each in evidence:
        number = of.get(each.passage_id)
        if number is None or language(each.quote) != language(said) or not wanted:
            continue
        share = len(wanted & set(content_words(each.quote))) / len(wanted)
        text = _alone(passages[number], each.span) if share >= _SPEAKS else None
        if text is not None and not gives_orders(around(passages[number].text, each.span)):
            found.append((share, text, each))
    if not found:
        return None
    _, text, source = max(found, key=lambda each: each[0])
    return text, source


def is_supported_by(said: str, evidence: Sequence[Evidence]) -> bool:
    """Whether nearly all words of ``said`` are the evidence's."""
    wanted = set(content_words(said))
    known = {word for each in evidence for word in content_words(each.quote)}
    return len(wanted) >= _LEAST_WORDS and len(wanted & known) >= _SUPPORTED * len(wanted)


def _alone(passage: Passage, span: Span) -> str | None:
    text = span.of(passage.text).strip()
    if not _plain(text) or discourse_link(text) is not Link.NONE:
        return None
    if not _POINTS_BACK.match(text):
        return text
    for segment in decompose(passage.text).segments:
        if segment.span == span and not _POINTS_BACK.match(segment.text):
            return segment.text if _plain(segment.text) else None
    title = (passage.title or "").strip()
    colon = "：" if language(text) == "zh" else ": "
    return f"{title}{colon}{text}" if title and _plain(f"{title}.") else None


def _plain(text: str) -> bool:
    unfit = _UNFIT.search(text) or _POINTS_ANYWHERE.search(text)
    return not unfit and text.endswith(_ENDS) and len(text.split()) <= _MOST_WORDS and len(text) <= 500
