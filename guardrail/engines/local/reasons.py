"""Why a segment is not supported, in words: the clash that can be named, else what was looked for and not found."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from guardrail.text.facts import EXACT, RELIABLE, FactKind, Mismatch, extract
from guardrail.text.facts.values import values_of
from guardrail.text.words import Word, content_words, placed_words, read_words
from guardrail.types import Span

_NEAR = 0.6
"""Share of the segment's content words that stand in a sentence in the same order, from which the two are compared."""

_LONGEST = 4
"""Words on either side of a clash; longer stretches are another wording."""

_MAX_WORDS = 120
_LISTED = 3
_OFF_TOPIC = 0.6


_SLIGHT = re.compile(r"yes|no|\w+['’]\w{1,2}", re.IGNORECASE)
"""Words whose absence from the passages says nothing: "Yes", "isn't"."""


class Clash(NamedTuple):
    """What the segment says where a sentence of the evidence says something else, and where in the segment."""

    said: str
    found: str
    span: Span


def clash_in_words(text: str, sentences: Iterable[str]) -> Clash | None:
    """The words in which a segment departs from the sentence nearest to it; None where no sentence is near.

    Args:
        text: The segment, which the evidence does not support.
        sentences: Those of the evidence.
    """
    own = read_words(text)
    forms = [w.form for w in own]
    content = sum(bool(w.stem) for w in own)
    if not content or len(own) > _MAX_WORDS:
        return None
    best: tuple[float, Clash] | None = None
    for sentence in sentences:
        other = read_words(sentence)
        matcher = difflib.SequenceMatcher(None, forms, [w.form for w in other], autojunk=False)
        same = sum(bool(w.stem) for a, _, n in matcher.get_matching_blocks() for w in own[a : a + n]) / content
        if same < _NEAR or (best is not None and same <= best[0]):
            continue
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag == "replace" and _are_alike(own[a:b], other[c:d]):
                span = Span(own[a].start, own[b - 1].end)
                best = same, Clash(span.of(text), sentence[other[c].start : other[d - 1].end], span)
                break
    return best[1] if best else None


def _are_alike(said: Sequence[Word], found: Sequence[Word]) -> bool:
    """Whether one stretch can stand in the other's place: "the first" and "patients for" cannot."""
    if not _names_something(said) or not _names_something(found):
        return False
    return bool(said[-1].stem or said[-1].form[:1].isdigit()) == bool(found[-1].stem or found[-1].form[:1].isdigit())


def _names_something(words: Sequence[Word]) -> bool:
    return len(words) <= _LONGEST and any(w.stem or w.form[:1].isdigit() for w in words)


def _firmness(found: Mismatch) -> tuple[bool, bool, float]:
    return found.weight >= EXACT, found.contradicts, found.weight


def reason_of(text: str, mismatches: Sequence[Mismatch], clash: Clash | None, known: frozenset[str] | None) -> str:
    """One sentence: the hard fact that fails, the clash in words, or what no passage mentions.

    Args:
        text: The segment.
        mismatches: Hard facts that the evidence does not support.
        clash: See ``clash_in_words``; None where there is none, or where the model sees no contradiction.
        known: Content words of all passages; None where those of another language would be compared.
    """
    firm = max((m for m in mismatches if m.weight >= RELIABLE), key=_firmness, default=None)
    if firm is not None and firm.kind is FactKind.YES_NO:
        return f"The answer opens with “{firm.claim_value}”, but goes on: “{firm.evidence_value}”."
    if firm is not None and firm.kind is FactKind.NEGATION:
        return "The answer and the passage differ in what they affirm and deny."
    if firm is not None and firm.kind is FactKind.RESERVE and not firm.contradicts:
        return f"The answer states {firm.claim_value} as a fact; the passage says {firm.evidence_value}."
    if firm is not None and firm.evidence_value:
        return f"The answer says {firm.claim_value}; the passage says {firm.evidence_value}."
    if firm is not None:
        return f"No passage that was read mentions {firm.claim_value}."
    if clash is not None:
        return f"The answer says “{clash.said}”; the passage says “{clash.found}”."
    if known is None:
        return "No passage says this."
    values = [fact.span for fact in values_of(extract(text))]  # those that are missing were named above

    def is_value(span: Span) -> bool:
        return any(value.start <= span.start and span.end <= value.end for value in values)

    absent = (span for word, span in placed_words(text) if word not in known and not is_value(span))
    missing = [word for word in dict.fromkeys(span.of(text) for span in absent) if not _SLIGHT.fullmatch(word)]
    if len(missing) >= _OFF_TOPIC * len(set(content_words(text))):
        return "The passages speak of something else."
    if missing:
        listed = ", ".join(f"“{word}”" for word in missing[:_LISTED])
        return f"No passage says this; {listed} {'is' if len(missing) == 1 else 'are'} not mentioned."
    return "The passages use these words but do not say this."
