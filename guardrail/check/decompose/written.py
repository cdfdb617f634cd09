"""The sentences of an answer as they are written, block by block, before those around them say more.

An answer that has grown by some words is read from the block on in which they stand: what was found in the blocks
before holds as it is, and of the block itself only the sentences that are new or longer are looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from guardrail.check.decompose.blocks import Block, Kind, runs, split_blocks
from guardrail.check.decompose.checkworthiness import CODE, MARKUP, TABLE_HEADER, skip_reason
from guardrail.check.decompose.predicates import header_claims
from guardrail.check.decompose.references import is_source_line
from guardrail.text.citations import Index
from guardrail.text.labels import label_end
from guardrail.text.language import language
from guardrail.text.markdown import mask, plain
from guardrail.text.records import row_text, table_cells
from guardrail.text.sentences import split_sentences
from guardrail.types import Span


@dataclass(slots=True)
class Sentence:
    """A sentence, or a block that carries no prose; ``lead``: the line that leads in the list of this item."""

    span: Span
    text: str
    block: int
    kind: Kind
    lang: str
    citations: tuple[str, ...] = ()
    skipped: str | None = None
    lead: str = ""


_Place = tuple[int, int, int, Kind, str, bool, bool]
"""A piece of a block: where it starts and ends, and all else that its sentence depends on."""

_Part = dict[_Place, Sentence]
"""The sentences of one block, in order."""

_Said = tuple[Span, str, tuple[str, ...], str | None]
"""What a piece of text says wherever it stands: its span within the piece, plain text, citations, reason to skip it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text, its blocks, and their sentences, which nobody changes."""

    text: str = ""
    blocks: tuple[Block, ...] = ()
    parts: tuple[_Part, ...] = ()

    def sentences(self) -> list[Sentence]:
        """All in order."""
        return [sentence for part in self.parts for sentence in part.values()]


@dataclass(frozen=True, slots=True)
class Writing:
    """Finds the sentences of one answer, as it grows.

    Attributes:
        index: From citation marks to ids of passages.
        names: Of the passages, see ``references.known_names``.
    """

    index: Index
    names: Collection[str]
    _said: dict[tuple[str, bool, Kind | None], _Said] = field(default_factory=dict)

    def read(self, text: str, before: Written) -> Written:
        """The sentences of a text; those of ``before`` stand where the text begins as it did."""
        blocks = tuple(split_blocks(text))
        if not text.startswith(before.text):
            before = Written()
        same = 0
        for block, old in zip(blocks, before.blocks, strict=False):
            if block != old:
                break
            same += 1
        parts = list(before.parts[:same])
        for number in range(same, len(blocks)):
            known = before.parts[number] if number < len(before.parts) else {}
            parts.append(dict(self._part(text, number, blocks[number], known)))
        return Written(text, blocks, tuple(parts))

    def _part(
        self, text: str, number: int, block: Block, known: Mapping[_Place, Sentence]
    ) -> Iterator[tuple[_Place, Sentence]]:
        """The sentences of a block; what carries no prose comes out as skipped."""
        kind, headers = block.kind, block.headers
        whole = _trimmed(text, Span(block.lines[0].start, block.lines[-1].end))
        if kind is Kind.TABLE_HEADER and header_claims(headers):
            kind, headers = Kind.TABLE_ROW, ()
        place = (*whole, number, kind, "", True, True)
        if kind in {Kind.CODE, Kind.MARKUP, Kind.TABLE_HEADER}:
            skipped = {Kind.CODE: CODE, Kind.MARKUP: MARKUP}.get(kind, TABLE_HEADER)
            yield place, Sentence(whole, whole.of(text), number, kind, "en", skipped=skipped)
        elif kind is Kind.TABLE_ROW:
            row, citations = plain(row_text(headers, table_cells(whole.of(text))), self.index)
            reason = skip_reason(row, row, kind, alone=False)
            yield place, Sentence(whole, row, number, kind, language(row), citations, reason)
        else:
            for run in runs(block, text):
                raw = run.of(text)
                lang = language(raw)
                found = split_sentences(mask(raw, self.index))
                for piece in found:
                    start, end = run.start + piece.start, run.start + piece.end
                    place = (start, end, number, kind, lang, len(found) == 1, piece.start == 0)
                    sentence = known.get(place) or self._sentence(text, place)
                    if sentence is not None:
                        yield place, sentence

    def _sentence(self, text: str, place: _Place) -> Sentence | None:
        """The sentence at a place; None where there is nothing but space."""
        start, end, number, kind, lang, alone, first = place
        span = _trimmed(text, Span(start, end))
        if span.start == span.end:
            return None
        raw = span.of(text)
        key = raw, first, kind if alone else None  # what a sentence among others says does not depend on the kind
        said = self._said.get(key) or self._said.setdefault(key, self._read(raw, kind, alone=alone, first=first))
        own, words, citations, reason = said
        return Sentence(
            Span(span.start + own.start, span.start + own.end), words, number, kind, lang, citations, reason
        )

    def _read(self, raw: str, kind: Kind, *, alone: bool, first: bool) -> _Said:
        span = Span(0, len(raw))
        words, citations = plain(raw, self.index)
        label = label_end(raw) if first else 0
        if 0 < label < len(raw) and not is_source_line(words, self.names):
            span = _trimmed(raw, Span(label, len(raw)))
            words, citations = plain(span.of(raw), self.index)
        reason = skip_reason(words, span.of(raw), kind, alone=alone, names=self.names)
        return span, words, citations, reason


def _trimmed(text: str, span: Span) -> Span:
    piece = span.of(text)
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, span.end - (len(piece) - len(piece.rstrip()))))
