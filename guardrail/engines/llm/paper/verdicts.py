"""Labels without a confidence and without quotes: the rows that they make, and the evidence that is located for them.

The papers' prompts of D-FActScore and RefChecker ask for no quotes. What they say stands only where the passage speaks
of the claim at all and gives the judge no orders, and what they call true only where some passage has its numbers and
names. That is less than a quote: these plans reproduce tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from functools import cache

from guardrail.check.contract import NotJudged, VerifyRequest
from guardrail.engines.llm.quotes import Documents
from guardrail.engines.local.evidence import choose_evidence
from guardrail.engines.local.passage_index import Library
from guardrail.text.words import content_words
from guardrail.types import Cause, Cell, Row, Span

_SENTENCES = 2
"""Of a passage, as evidence of one claim."""

NOT_JUDGED = NotJudged("the judge gave no verdict, or several, for this", Cause.REPLY)
NOT_BACKED = NotJudged(
    "the judge says that a passage bears on this, but the passage lacks its words or facts, or gives orders",
    Cause.REPLY,
)


class Label(Enum):
    """RefChecker's three labels; the values are P(supported) and P(contradicted) that stand for them."""

    ENTAILMENT = (0.95, 0.02)
    NEUTRAL = (0.05, 0.05)
    CONTRADICTION = (0.03, 0.95)

    def cell(self, evidence: tuple[Span, ...] = ()) -> Cell:
        """A cell of this label."""
        supported, contradicted = self.value
        return Cell(supported=supported, contradicted=contradicted, evidence=evidence)

    def row(self, ident: str, cells: Sequence[Cell | None], reason: str = "") -> Row:
        """A row of this label; its evidence is that of the cells with the same label."""
        supported, contradicted = self.value
        own = [(n, cell) for n, cell in enumerate(cells) if cell is not None and label_of(cell) is self]
        return Row(
            segment_id=ident,
            cells=tuple(cells),
            supported=supported,
            contradicted=contradicted,
            evidence=tuple((n, span) for n, cell in own for span in cell.evidence),
            reason=reason,
        )


def label_of(judged: Cell | Row) -> Label:
    """The label whose probabilities these are."""
    return Label((judged.supported, judged.contradicted))


def merged(ident: str, cells: Sequence[Cell | None], fault: NotJudged | None, reasons: tuple[str, str]) -> Row:
    """One claim over all passages: any entailment supports it, else any contradiction contradicts it (RefChecker).

    Args:
        ident: Id of the claim.
        cells: Its labels by passage; None where there is none.
        fault: Why a label is missing that might have been an entailment or a contradiction, else None.
        reasons: What to say of a claim that is contradicted, and of one that no passage supports.
    """
    labels = {label_of(cell) for cell in cells if cell is not None}
    if Label.ENTAILMENT in labels:
        return Label.ENTAILMENT.row(ident, cells)
    if Label.CONTRADICTION in labels:
        return Label.CONTRADICTION.row(ident, cells, reasons[0])
    if fault is not None or not labels:
        return (fault or NOT_JUDGED).row(ident, cells)
    return Label.NEUTRAL.row(ident, cells, reasons[1])


def strict(ident: str, rows: Sequence[Row]) -> Row:
    """The row of a segment from those of its claims: the worst label; what is not verified is never support."""
    cells = tuple(_strict_cell([row.cells[n] for row in rows]) for n in range(len(rows[0].cells)))
    judged = {label_of(row): row for row in reversed(rows) if row.unverified is None}
    worst = judged.get(Label.CONTRADICTION) or judged.get(Label.NEUTRAL)
    if worst is not None:
        return replace(worst, segment_id=ident, cells=cells)
    unjudged = next((row for row in rows if row.unverified is not None), None)
    if unjudged is not None:
        return Row(segment_id=ident, cells=cells, unverified=unjudged.unverified, cause=unjudged.cause)
    evidence = tuple(dict.fromkeys(pair for row in rows for pair in row.evidence))
    return replace(Label.ENTAILMENT.row(ident, cells), evidence=evidence)


def _strict_cell(cells: Sequence[Cell | None]) -> Cell | None:
    """One passage against all claims of a segment."""
    read = [cell for cell in cells if cell is not None]
    labels = {label_of(cell) for cell in read}
    spans = tuple(dict.fromkeys(span for cell in read for span in cell.evidence))
    if Label.CONTRADICTION in labels:
        return Label.CONTRADICTION.cell(spans)
    if len(read) < len(cells):
        return None
    return (Label.NEUTRAL if Label.NEUTRAL in labels else Label.ENTAILMENT).cell(spans)


class Locator:
    """The passages of one request, indexed once; finds by weight of words the sentences that speak of a claim."""

    def __init__(self, request: VerifyRequest) -> None:
        passages = request.passages
        self._library = Library(passages)
        question = request.question or ""
        read_too = (question, *(s.text for s in request.segments))
        self._documents = Documents(passages, read_too, question=question)
        self._own: list[list[int]] = [[] for _ in passages]
        for index, owner in enumerate(self._library.owner):
            self._own[owner].append(index)
        self._ordering = set(filter(self._documents.ordering, range(len(passages))))
        self._lacks = cache(self._documents.lacks)

    def locate(self, claim: str, number: int, *, against: bool = False) -> tuple[Span, ...]:
        """Sentences of passage ``number`` that a verdict for or against the claim can rest on; () if there are none."""
        if number in self._ordering or not self._own[number] or not (against or self._lacks(claim) is None):
            return ()
        chosen = choose_evidence(self._library, content_words(claim), self._own[number], _SENTENCES)
        spans = [self._library.sentences[index].span for index in chosen or self._own[number][:1]]
        return tuple(spans) if self._documents.bears(claim, [(number, span) for span in spans]) else ()

    def best(self, claim: str, numbers: Sequence[int]) -> tuple[int, tuple[Span, ...]] | None:
        """Of several passages read together, the one that holds most of the claim, with its sentences; or None."""
        if self._ordering.intersection(numbers):
            return None  # the orders were in the prompt, whatever else was
        words = content_words(claim)
        found = [(number, spans) for number in numbers if (spans := self.locate(claim, number))]

        def held(item: tuple[int, tuple[Span, ...]]) -> float:
            return self._library.overlap.coverage(words, self._own[item[0]])

        return max(found, key=held, default=None)
