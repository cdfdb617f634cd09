"""Which relations a text states: connective, kind and both sides in normal order."""

from __future__ import annotations

from functools import lru_cache

from guardrail.check.logic.lexicon import COMPARATIVE, CONNECTIVES, KIND_OF_ZH, LESSER, PATTERN, Form
from guardrail.check.logic.meanings import NOT_AFTER, NOT_BEFORE
from guardrail.check.logic.sides import Layout, split_sides
from guardrail.types import Relation, RelationKind, Span

MAX_TEXT = 20_000  # characters read; segments and sentences are far shorter, and work must stay bounded
MAX_RELATIONS = 64


def find_relations(text: str) -> tuple[Relation, ...]:
    """Find the relations that a text states (L-Face4RAG, section 4.3, steps 2a to 2c).

    Args:
        text: A segment or an evidence sentence, English or Chinese. Only the first 20,000 characters are read.

    Returns:
        At most 64 relations in order of their connectives, sides in the normal order of ``RelationKind`` (cause
        first, condition first, earlier first, class first). A side that the text does not name is empty.
    """
    return _find(text[:MAX_TEXT])


@lru_cache(maxsize=1024)  # the same passage sentence is evidence for many segments
def _find(text: str) -> tuple[Relation, ...]:
    layout = Layout(text)
    found = [*_connectives(layout), *_comparatives(layout), *_chinese_kinds(layout)]
    found.sort(key=lambda relation: relation.span)
    return tuple(found[:MAX_RELATIONS])


def _connectives(layout: Layout) -> list[Relation]:
    found: list[Relation] = []
    text = layout.text
    lowered = text.lower()
    if len(lowered) != len(text):  # "İ" grows; offsets come before its connectives
        lowered = text
    for match in PATTERN.finditer(lowered):
        words = " ".join(match.group().split())
        connective = CONNECTIVES.get(words)
        if connective is None or _means_otherwise(text, words, match.start(), match.end()):
            continue
        kind, form, later_first, _ = connective
        if words == "只有" and not any(mark in text[match.end() : match.end() + 60] for mark in "才方能"):
            kind, form, later_first = RelationKind.SCOPE, Form.QUANTITY, False
        main, marked = split_sides(layout, match.start(), match.end(), form)
        first, second = (marked, main) if later_first else (main, marked)
        span = Span(match.start(), match.end())
        found.append(Relation(kind=kind, connective=span.of(text), span=span, first=first, second=second))
        if len(found) == MAX_RELATIONS:
            break
    return found


def _means_otherwise(text: str, words: str, start: int, stop: int) -> bool:
    before, after = NOT_AFTER.get(words), NOT_BEFORE.get(words)
    if before and before.search(text[max(start - 12, 0) : start]):
        return True
    return bool(after and after.match(text[stop : stop + 14]))


def _comparatives(layout: Layout) -> list[Relation]:
    found: list[Relation] = []
    if "than" not in layout.text:
        return found
    for match in COMPARATIVE.finditer(layout.text):
        degree = match.group(1).split()[0].casefold()
        if degree in ("rather", "other", "whether", "either", "under", "over", "never", "after"):
            continue
        main, marked = split_sides(layout, match.start(), match.end(), Form.BETWEEN)
        first, second = (marked, main) if degree in LESSER else (main, marked)
        span = Span(match.start(), match.end())
        found.append(
            Relation(kind=RelationKind.COMPARISON, connective=match.group(), span=span, first=first, second=second)
        )
        if len(found) == MAX_RELATIONS:
            break
    return found


def _chinese_kinds(layout: Layout) -> list[Relation]:
    found: list[Relation] = []
    for match in KIND_OF_ZH.finditer(layout.text):
        member, _ = split_sides(layout, match.start(), match.end(), Form.BETWEEN)
        span = Span(match.start(), match.end())
        found.append(
            Relation(
                kind=RelationKind.INCLUSION,
                connective=match.group(),
                span=span,
                first=match.group("class"),
                second=member,
            )
        )
        if len(found) == MAX_RELATIONS:
            break
    return found
