"""From an answer to its segments: sentences, what needs no check, what stays together, what stands alone.

Each step goes from the first sentence to the last, so that of an answer that has grown only the sentences behind the
first new one are looked at again; what depends on the whole of it (``_as_whole``) is decided anew each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from guardrail.check.decompose.abstention import declines
from guardrail.check.decompose.blocks import Kind
from guardrail.check.decompose.checkworthiness import CODE, DECLINES, affirms, is_bold_line, strip_prefix
from guardrail.check.decompose.connectives import MAX_CHARACTERS, Link, discourse_link
from guardrail.check.decompose.contents import only_declines
from guardrail.check.decompose.pronouns import Topic
from guardrail.check.decompose.references import HEADING, Listing, known_names, skip_reference
from guardrail.check.decompose.subjects import Subject
from guardrail.check.decompose.written import Sentence, Writing, Written
from guardrail.check.logic import find_relations
from guardrail.text.citations import citation_index
from guardrail.text.language import language
from guardrail.text.markdown import without_surrogates
from guardrail.types import Decomposition, Segment, Span

_FRAGMENT_WORDS = 6  # a list item up to this long says nothing without the line that leads it in
_MOST_DECLINING = 8  # an answer of more sentences than this does more than decline

_Behind = tuple[Listing, str]
"""What is known behind a sentence: the list of sources that goes on, and the line that leads in a list."""


@dataclass(frozen=True, slots=True)
class _Group:
    """A segment, and behind it the number of the next sentence and what is known of the subject."""

    segment: Segment
    end: int
    topic: tuple[Subject | None, bool]


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer taken apart, and what a longer one is taken apart from."""

    parts: Decomposition
    lang: str
    written: Written = field(default_factory=Written, repr=False)
    sentences: list[Sentence] = field(default_factory=list, repr=False)
    judged: list[Sentence] = field(default_factory=list, repr=False)
    behind: list[_Behind] = field(default_factory=list, repr=False)
    settled: list[Sentence] = field(default_factory=list, repr=False)
    groups: list[_Group] = field(default_factory=list, repr=False)


_NOTHING = Reading(Decomposition(segments=()), "")


class Reader:
    """Takes one answer apart, as often as it grows; for one thread at a time. Arguments as ``decompose``."""

    def __init__(
        self, question: str | None = None, passage_ids: Sequence[str] = (), titles: Sequence[str] = ()
    ) -> None:
        self._question = question
        self._names = known_names((*passage_ids, *titles))
        self._writing = Writing(citation_index(passage_ids), self._names)
        self._last = _NOTHING

    def read(self, answer: str) -> Reading:
        """The answer as it is now; the next one is taken to be longer."""
        self._last = self.look(answer, self._last)
        return self._last

    def look(self, answer: str, before: Reading) -> Reading:
        """An answer that begins as that one did, or any other."""
        text = without_surrogates(answer)
        if text == before.written.text and before is not _NOTHING:
            return before
        written = self._writing.read(text, before.written)
        sentences = written.sentences()
        same = _common(sentences, before.sentences)
        judged, behind = before.judged[:same], before.behind[:same]
        listing, lead = behind[-1] if behind else (Listing(), "")
        for sentence in sentences[same:]:
            own = replace(sentence)
            listing = skip_reference(own, own.span.of(text), self._names, listing)
            lead = _skip_by_context(own, self._question, lead)
            judged.append(own)
            behind.append((listing, lead))
        settled = _as_whole(text, judged, self._question)
        lang = language(self._question or answer)
        groups = self._groups(settled, lang, before)
        return Reading(_decomposition(groups), lang, written, sentences, judged, behind, settled, groups)

    def _groups(self, settled: list[Sentence], lang: str, before: Reading) -> list[_Group]:
        same = _common(settled, before.settled) if lang == before.lang else 0
        kept = [group for group in before.groups if group.end < same]  # the next sentence may join the last one
        topic, end = Topic(self._question, lang), 0
        if kept:
            end = kept[-1].end
            topic.resume(kept[-1].topic)
        for group in _together(settled[end:]):
            end += len(group)
            kept.append(_Group(_segment(len(kept) + 1, group, topic), end, topic.state))
        return kept


class Readers:
    """The readers of one answer that grows, by what they know of its passages."""

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, tuple[str, ...], tuple[str, ...]], Reader] = {}

    def of(self, question: str | None, passage_ids: Sequence[str] = (), titles: Sequence[str] = ()) -> Reader:
        """The reader for these; see ``decompose``."""
        key = question, tuple(passage_ids), tuple(titles)
        return self._known.get(key) or self._known.setdefault(key, Reader(*key))


def _common(first: Sequence[Sentence], second: Sequence[Sentence]) -> int:
    """How many sentences both begin with."""
    pairs = zip(first, second, strict=False)
    return next((n for n, (one, two) in enumerate(pairs) if one is not two), min(len(first), len(second)))


def _skip_by_context(sentence: Sentence, question: str | None, lead: str) -> str:
    """Decide what depends on the sentences before (lead-ins of lists, refusals); returns the line that leads in now."""
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
    return lead


def _as_whole(answer: str, judged: list[Sentence], question: str | None) -> list[Sentence]:
    """The sentences with what only the end of the answer, or all of it, decides."""
    settled = list(judged)
    if not settled:
        return settled
    last = settled[-1]
    bold = last.skipped == HEADING and last.kind is not Kind.HEADING and is_bold_line(last.span.of(answer))
    if (bold and not last.text.endswith((":", "："))) or (len(settled) == 1 and affirms(last.text)):
        settled[-1] = replace(last, skipped=None)  # what heads nothing, or greets nobody, is the answer itself
    if _only_declines(settled, question):
        return [replace(each, skipped=DECLINES) if each.skipped is None else each for each in settled]
    return settled


def _only_declines(sentences: list[Sentence], question: str | None) -> bool:
    """Whether the answer only says what the passages lack or hold."""
    if any(sentence.skipped == CODE for sentence in sentences):
        return False
    said = [sentence for sentence in sentences if sentence.skipped in {None, DECLINES}]
    if not 0 < len(said) <= _MOST_DECLINING or any(s.kind in {Kind.TABLE_ROW, Kind.HEADING} for s in said):
        return False
    return any(s.skipped is None for s in said) and only_declines(
        [(s.text, s.skipped == DECLINES) for s in said], question
    )


def _together(sentences: list[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences that stay together (L-Face4RAG, section 4.1): a connective never loses the side it points back to."""
    group: list[Sentence] = []
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


def _segment(number: int, group: list[Sentence], topic: Topic) -> Segment:
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
    return Reader(question, passage_ids, titles).read(answer).parts


def _decomposition(groups: list[_Group]) -> Decomposition:
    segments = tuple(group.segment for group in groups)
    return Decomposition(
        segments=segments,
        abstained=any(s.skipped == DECLINES for s in segments) and all(s.skipped not in {None, CODE} for s in segments),
        unreadable=any(s.skipped == CODE for s in segments),
    )
