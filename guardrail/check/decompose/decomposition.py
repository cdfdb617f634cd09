"""From an answer to its segments: blocks, sentences, what needs no check, what stays together, what stands alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from guardrail.check.decompose.abstention import declines
from guardrail.check.decompose.blocks import Kind, runs, split_blocks
from guardrail.check.decompose.checkworthiness import (
    CODE,
    DECLINES,
    MARKUP,
    TABLE_HEADER,
    affirms,
    is_bold_line,
    skip_reason,
    strip_prefix,
)
from guardrail.check.decompose.connectives import MAX_CHARACTERS, Link, discourse_link
from guardrail.check.decompose.contents import only_declines
from guardrail.check.decompose.predicates import header_claims
from guardrail.check.decompose.pronouns import Topic
from guardrail.check.decompose.references import HEADING, is_source_line, known_names, skip_references
from guardrail.check.logic import find_relations
from guardrail.text.citations import Index, citation_index
from guardrail.text.labels import label_end
from guardrail.text.language import language
from guardrail.text.markdown import mask, plain, without_surrogates
from guardrail.text.records import row_text, table_cells
from guardrail.text.sentences import split_sentences
from guardrail.types import Decomposition, Segment, Span

_FRAGMENT_WORDS = 6  # a list item up to this long says nothing without the line that leads it in
_MOST_DECLINING = 8  # an answer of more sentences than this does more than decline


@dataclass(slots=True)
class _Sentence:
    span: Span
    text: str
    block: int
    kind: Kind
    lang: str
    citations: tuple[str, ...] = ()
    skipped: str | None = None
    lead: str = ""  # the line that leads in the list of this item


def _trimmed(text: str, span: Span) -> Span:
    piece = span.of(text)
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, span.end - (len(piece) - len(piece.rstrip()))))


def _sentences(text: str, index: Index, names: Collection[str]) -> Iterator[_Sentence]:
    """All sentences of the answer in order; what carries no prose comes out as skipped."""
    for number, block in enumerate(split_blocks(text)):
        whole = _trimmed(text, Span(block.lines[0].start, block.lines[-1].end))
        if block.kind is Kind.TABLE_HEADER and header_claims(block.headers):
            block.kind, block.headers = Kind.TABLE_ROW, ()
        if block.kind in {Kind.CODE, Kind.MARKUP, Kind.TABLE_HEADER}:
            skipped = {Kind.CODE: CODE, Kind.MARKUP: MARKUP}.get(block.kind, TABLE_HEADER)
            yield _Sentence(whole, whole.of(text), number, block.kind, "en", skipped=skipped)
            continue
        if block.kind is Kind.TABLE_ROW:
            row, citations = plain(row_text(block.headers, table_cells(whole.of(text))), index)
            reason = skip_reason(row, row, block.kind, alone=False)
            yield _Sentence(whole, row, number, block.kind, language(row), citations, reason)
            continue
        for run in runs(block, text):
            raw = run.of(text)
            lang = language(raw)
            found = split_sentences(mask(raw, index))
            for piece in found:
                span = _trimmed(text, Span(run.start + piece.start, run.start + piece.end))
                if span.start == span.end:
                    continue
                words, citations = plain(span.of(text), index)
                label = 0 if piece.start else label_end(span.of(text))
                if 0 < label < span.end - span.start and not is_source_line(words, names):
                    span = _trimmed(text, Span(span.start + label, span.end))
                    words, citations = plain(span.of(text), index)
                alone = len(found) == 1
                reason = skip_reason(words, span.of(text), block.kind, alone=alone, names=names)
                yield _Sentence(span, words, number, block.kind, lang, citations, reason)


def _skip_by_context(answer: str, sentences: list[_Sentence], question: str | None) -> None:
    """Decide what depends on the sentences around: lead-ins of lists, refusals."""
    lead = ""
    for sentence in sentences:
        text = sentence.text
        if sentence.skipped is None:
            sentence.text = text = strip_prefix(text)
            if declines(text, question, sentence.lang):
                sentence.skipped = DECLINES
        if (
            sentence.kind is Kind.ITEM
            and lead
            and len(text.split()) <= _FRAGMENT_WORDS
            and not text.endswith((".", "。", ":", "："))
        ):
            sentence.lead = lead
        elif sentence.kind is not Kind.ITEM:
            leads_in = text.endswith((":", "：")) and sentence.skipped in {HEADING, None} and 8 <= len(text) <= 160
            lead = text if leads_in else ""

    if not sentences:
        return
    last = sentences[-1]
    bold = last.skipped == HEADING and last.kind is not Kind.HEADING and is_bold_line(last.span.of(answer))
    if (bold and not last.text.endswith((":", "："))) or (len(sentences) == 1 and affirms(last.text)):
        last.skipped = None  # what heads nothing, or greets nobody, is the answer itself


def _skip_refusal(sentences: list[_Sentence], question: str | None) -> None:
    """Skip what only says what the passages lack or hold, where the answer says nothing else."""
    if any(sentence.skipped == CODE for sentence in sentences):
        return
    said = [sentence for sentence in sentences if sentence.skipped in {None, DECLINES}]
    if not 0 < len(said) <= _MOST_DECLINING or any(s.kind in {Kind.TABLE_ROW, Kind.HEADING} for s in said):
        return
    if any(s.skipped is None for s in said) and only_declines(
        [(s.text, s.skipped == DECLINES) for s in said], question
    ):
        for sentence in said:
            sentence.skipped = DECLINES


def _groups(sentences: list[_Sentence]) -> Iterator[list[_Sentence]]:
    """Sentences that stay together (L-Face4RAG, section 4.1): a connective never loses the side it points back to."""
    group: list[_Sentence] = []
    for sentence in sentences:
        if group:
            before = group[-1]
            link = Link.NONE
            if (
                sentence.skipped is None
                and before.skipped is None
                and sentence.block == before.block
                and sentence.kind is not Kind.TABLE_ROW
            ):
                link = discourse_link(sentence.text)
            if len(group) < link and sentence.span.end - group[0].span.start <= MAX_CHARACTERS:
                group.append(sentence)
                continue
            yield group
        group = [sentence]
    if group:
        yield group


def _segment(number: int, group: list[_Sentence], topic: Topic) -> Segment:
    first, last = group[0], group[-1]
    span = Span(first.span.start, last.span.end)
    citations = tuple(dict.fromkeys(c for sentence in group for c in sentence.citations))
    if first.skipped is not None:
        if first.skipped == HEADING and first.kind is not Kind.ITEM:
            topic.reset()  # a new section may be about somebody else
        return Segment(id=f"s{number}", span=span, text=first.text, citations=citations, skipped=first.skipped)
    texts = [topic.resolve(sentence.text, sentence.lang) for sentence in group]
    if first.lead:
        texts[0] = f"{first.lead} {texts[0]}"
    text = ("" if first.lang in {"zh", "ja"} else " ").join(texts)
    return Segment(id=f"s{number}", span=span, text=text, relations=find_relations(text), citations=citations)


def decompose(
    answer: str, *, question: str | None = None, passage_ids: Sequence[str] = (), titles: Sequence[str] = ()
) -> Decomposition:
    """Decompose an answer into segments that keep logic together and stand alone.

    Follows the three principles of L-Face4RAG (Face4RAG, KDD'24, section 4.1): segments are taken as written, a
    sentence that a connective links to the one before stays with it, and references are resolved. No model is called.

    Args:
        answer: The answer, plain text or Markdown, in any language; rules are finest for English and Chinese.
        question: What was asked; names the subject where the answer starts with a pronoun, and tells refusals.
        passage_ids: Ids of the passages in order; citation marks are mapped to them by id, else by 1-based number.
        titles: Titles of the passages; a list of sources below the answer may name them.

    Returns:
        Segments "s1", "s2", ... in order, without overlap; spans are code point offsets into ``answer``. Segments that
        need no check say why in ``skipped``. ``abstained`` if the answer declines and claims nothing, ``unreadable`` if
        it holds code.
    """
    text = without_surrogates(answer)
    index = citation_index(passage_ids)
    names = known_names((*passage_ids, *titles))
    sentences = list(_sentences(text, index, names))
    skip_references(text, sentences, names)
    _skip_by_context(text, sentences, question)
    _skip_refusal(sentences, question)
    topic = Topic(question, language(question or answer))
    segments = tuple(_segment(i, group, topic) for i, group in enumerate(_groups(sentences), 1))
    return Decomposition(
        segments=segments,
        abstained=any(s.skipped == DECLINES for s in segments) and all(s.skipped not in {None, CODE} for s in segments),
        unreadable=any(s.skipped == CODE for s in segments),
    )
