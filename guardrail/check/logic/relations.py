"""Which relations a text states: connective, kind and both sides in normal order, by rules on punctuation."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

from guardrail.check.logic.lexicon import (
    COMPARATIVE,
    CONNECTIVES,
    KIND_OF_ZH,
    LESSER,
    NOT_AFTER,
    NOT_BEFORE,
    PATTERN,
    Form,
)
from guardrail.types import Relation, RelationKind, Span

MAX_TEXT = 20_000  # characters read; segments and sentences are far shorter, and work must stay bounded
MAX_RELATIONS = 64
MAX_SIDE = 400  # characters; nobody joins more than this with one connective

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[;\n。！？；]")
_COMMA = re.compile(r",(?!\d)|[，：—–]|:(?=\s)")
_JOINER = re.compile(
    r"\s{0,3}(?:(?:and|but|so|while|whereas|which|who|although|though|or|yet)\b|[但而却并也]|同时)", re.IGNORECASE
)
# Words that belong to the connective rather than to the side next to it ("is mainly because").
_LEAD = re.compile(
    r"(?:and|but|so|or|then|that|even|just|only|simply|mainly|mostly|partly|largely|the\sreason(?:\swhy)?|"
    r"which)\s+|之所以|正|就|便|也|而|则|的",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:\s(?:and|but|so|is|was|are|were|be|been|mainly|mostly|partly|largely|simply|just|even|only|that|can|may|to)|"
    r"[这正就都是而且])$",
    re.IGNORECASE,
)
# An adverb inside its clause, not after a comma or a conjunction, refers to the sentence before.
_ADVERB = re.compile(r"therefore|consequently|accordingly|hence|thus|then|subsequently|thereafter", re.IGNORECASE)
_RUNS_ON = re.compile(r"(?<!\band)(?<!\bbut)(?<!\bor)(?<=\w)\s+$", re.IGNORECASE)
_THEN_ZH = re.compile(r"[就便才则都也]|而(?!且)")
_EDGE = " \t\r\n,，.。;；:：!！?？—–-\"'“”「」()（）"


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
        if connective is None or _is_homograph(text, words, match.start(), match.end()):
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


def _is_homograph(text: str, words: str, start: int, stop: int) -> bool:
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


class Layout:
    """Where sentences and commas of one text are; made once, asked for every connective."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = [m.end() for m in _SENTENCE_END.finditer(text)]
        self._commas = [m.start() for m in _COMMA.finditer(text)]

    def sentence(self, position: int) -> tuple[int, int]:
        """Bounds of the sentence (or part between semicolons) that holds a position."""
        index = bisect_right(self._ends, position)
        start = self._ends[index - 1] if index else 0
        end = self._ends[index] if index < len(self._ends) else len(self.text)
        return max(start, position - MAX_SIDE), min(end, position + MAX_SIDE)

    def before(self, start: int) -> tuple[int, int]:
        """The sentence that ends at ``start``; empty at the beginning of the text."""
        if start == 0:
            return 0, 0
        return self.sentence(max(start - 2, 0))

    def comma_after(self, position: int, end: int) -> int:
        """First comma from a position on, or ``end``."""
        index = bisect_left(self._commas, position)
        return min(self._commas[index], end) if index < len(self._commas) else end

    def comma_before(self, position: int, start: int) -> int:
        """Just after the last comma before a position, or ``start``."""
        index = bisect_left(self._commas, position)
        return max(self._commas[index - 1] + 1, start) if index else start


def _clean(piece: str) -> str:
    piece = piece[:MAX_SIDE].strip(_EDGE)
    for _ in range(3):  # "and it is mainly": three words in a row are the most that occur
        lead = _LEAD.match(piece)
        if lead is None:
            break
        piece = piece[lead.end() :]
    for _ in range(3):
        tail = _TAIL.search(piece, max(len(piece) - 12, 0))
        if tail is None:
            break
        piece = piece[: tail.start()].rstrip(_EDGE)
    return piece.strip(_EDGE)


def _after(layout: Layout, position: int, end: int) -> int:
    """End of the clause that starts at ``position``: the first comma that closes it rather than lists its parts."""
    comma = layout.comma_after(position + 1, end)
    piece = layout.text[position:comma]
    if comma < end and len(piece.split()) < 2 and piece.isascii():
        return layout.comma_after(comma + 1, end)
    return comma


def split_sides(layout: Layout, start: int, stop: int, form: Form) -> tuple[str, str]:
    """Main side and marked side of the connective at ``text[start:stop]``.

    The marked side is the one that the connective introduces (or closes, for ``Form.AFTER``). Either may be empty.
    """
    text = layout.text
    begin, end = layout.sentence(start)
    if form is Form.QUANTITY:
        return text[start:stop], _clean(text[stop : _after(layout, stop, end)])
    if form is Form.LINK:
        left = _clean(text[begin:start])
        if not left:
            left = _clean(text[slice(*layout.before(begin))])
        elif _ADVERB.match(text, start) and _RUNS_ON.search(text, max(start - 12, begin), start):
            whole = f"{text[begin:start].strip()} {text[stop:end].strip()}"  # "it therefore closed": one clause
            return _clean(text[slice(*layout.before(begin))]), _clean(whole)
        right = _clean(text[stop:end])
        if not right:  # "A; B as a result"
            return _clean(text[slice(*layout.before(begin))]), left
        return left, right
    if form is Form.BETWEEN:
        left = _clean(text[begin:start])
        return left, _clean(text[stop : _after(layout, stop, end)])
    if form is Form.AFTER:
        comma = layout.comma_before(start, begin)
        marked = _clean(text[comma:start])
        if not marked:  # "A，之后B": the clause it closes is the one before
            return _clean(text[stop:end]), _clean(text[begin:comma])
        main = _clean(text[stop:end])
        return (main, marked) if main else (_clean(text[begin:comma]), marked)
    before = text[begin:start]
    opening = layout.comma_before(start, begin)
    if not _clean(before) or (
        opening > begin and not _clean(text[opening:start]) and _JOINER.match(text, opening, start)
    ):
        comma = _after(layout, stop, end)
        if comma < end:
            return _clean(text[comma:end]), _clean(text[stop:comma])
        cut = _THEN_ZH.search(text, stop + 1, end)
        if cut:
            return _clean(text[cut.end() : end]), _clean(text[stop : cut.start()])
        return _clean(text[slice(*layout.before(begin))]), _clean(text[stop:end])
    if "\u4e00" <= text[start] <= "\u9fff":
        return _chinese_clause(layout, begin, start, stop, end)
    comma = _after(layout, stop, end)
    main, marked = _clean(before), _clean(text[stop:comma])
    return main, marked


def _chinese_clause(layout: Layout, begin: int, start: int, stop: int, end: int) -> tuple[str, str]:
    """Subject before the connective: "科考船因台风而退役" has its effect on both ends."""
    text = layout.text
    subject = text[layout.comma_before(start, begin) : start]
    cut = layout.comma_after(stop, end)
    if text[stop - 1] == "因":
        inner = _THEN_ZH.search(text, stop + 1, cut)
        cut = inner.start() if inner else cut
    rest = text[cut:end]
    if len(subject) <= 8 and _clean(rest) and not text[start:stop].startswith(("是", "原", "理")):
        return _clean(subject + rest.lstrip("而，,")), _clean(text[stop:cut])
    return _clean(text[begin:start]), _clean(text[stop:cut])
