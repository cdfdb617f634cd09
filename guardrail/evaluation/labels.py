"""What people said of answers and their sentences, and what it comes to. Pure; data/labels.py reads the files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import language
from guardrail.telemetry.records.record import FAULTY, KINDS, answer_label
from guardrail.types import ErrorType, Passage, Span, Verdict

WHOLE = ""
"""In place of a segment's id: the label is of the answer as a whole."""

UNSURE = "unsure"
SKIPPED = "skipped"
WORDS = (*(kind.value for kind in KINDS), UNSURE, SKIPPED)
"""What a person may say; None takes back what was said before. ``skipped`` is said of the whole answer."""

RANDOM = "random"
"""The order in which labelled answers are a sample of all."""

WRONG = frozenset(verdict.value for verdict in FAULTY)
"""Words for what the passages do not support."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An answer to label. ``segments``: ids and spans of its sentences, in order; ``drawn``: by which order it came."""

    id: str
    answer: str
    passages: tuple[Passage, ...]
    segments: tuple[tuple[str, Span], ...]
    question: str | None = None
    lang: str | None = None
    drawn: str = ""

    def span(self, segment: str) -> Span:
        """Where the segment is; of WHOLE, all of the answer."""
        return dict(self.segments).get(segment, Span(0, len(self.answer)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What ``by`` said at ``at`` (Unix seconds) of a segment (or WHOLE) of the answer with the id ``item``.

    ``key`` is its own id; ``undoes`` that of the label which it takes back, restoring what was said before.
    ``error_spans`` are stretches of the answer, ``evidence`` pairs of passage number and stretch.
    """

    key: str
    item: str
    segment: str
    label: str | None
    by: str
    at: float
    error_type: ErrorType | None = None
    error_spans: tuple[Span, ...] = ()
    evidence: tuple[tuple[int, Span], ...] = ()
    undoes: str | None = None


Said = Mapping[str, Label]
"""By segment, what one person says of one answer now."""


@dataclass(slots=True)
class Labels:
    """What people said: ``items`` by id, ``labels`` in the order of the file, ``now`` by item, person and segment."""

    items: dict[str, Item] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    now: dict[str, dict[str, dict[str, Label]]] = field(default_factory=dict)

    def add_item(self, item: Item) -> None:
        """An answer; one that is known already stays as it was labelled."""
        self.items.setdefault(item.id, item)

    def add_label(self, label: Label) -> None:
        """A label of a known answer; what it says replaces what the same person said of the same segment."""
        self.labels.append(label)
        said = self.now.setdefault(label.item, {}).setdefault(label.by, {})
        if label.label is None:
            said.pop(label.segment, None)
            return
        if label.segment != WHOLE and WHOLE in said and said[WHOLE].label == SKIPPED:
            del said[WHOLE]  # who labels a sentence does not skip the answer any more
        said[label.segment] = label

    def said(self, item: str, by: str) -> Said:
        """What this person says of this answer."""
        return self.now.get(item, {}).get(by, {})

    def people(self) -> list[str]:
        """Everybody who said something that stands, by name."""
        return sorted({by for said in self.now.values() for by, own in said.items() if own})

    def last(self, by: str) -> Label | None:
        """The last label of this person that was not undone; None where there is nothing to undo."""
        stack: list[Label] = []
        for label in self.labels:
            if label.by != by:
                continue
            if label.undoes is None:
                stack.append(label)
            elif stack:
                stack.pop()
        return stack[-1] if stack else None

    def before(self, label: Label) -> Label | None:
        """What the same person said of the same segment before; None where nothing was."""
        place = next(n for n in range(len(self.labels) - 1, -1, -1) if self.labels[n].key == label.key)
        undone = {one.undoes for one in self.labels}
        earlier = (
            one
            for one in reversed(self.labels[:place])
            if (one.item, one.segment, one.by) == (label.item, label.segment, label.by)
            and one.undoes is None
            and one.key not in undone
        )
        return next(earlier, None)


def verdict_of(item: Item, said: Said) -> Verdict | None:
    """What one person's labels come to for the whole answer; None = nothing yet, unsure or skipped.

    One wrong sentence makes an answer wrong, however unsure the rest is; it takes all to call it supported.
    """
    if any(label.label == SKIPPED for label in said.values()):
        return None
    known = {ident: Verdict(label.label) for ident, label in said.items() if label.label and label.label != UNSURE}
    return answer_label(known.get(WHOLE), [ident for ident, _ in item.segments], known)


def is_done(item: Item, said: Said) -> bool:
    """Whether nothing is left to say: the whole is labelled or skipped, or all its sentences are labelled."""
    return WHOLE in said or (bool(item.segments) and all(ident in said for ident, _ in item.segments))


def agreed(item: Item, by_person: Mapping[str, Said]) -> Verdict | None:
    """What all who labelled it come to; None where nobody did, or they differ on whether it is right.

    Of two that call it wrong in different ways the worse counts: contradicted.
    """
    verdicts = {verdict for said in by_person.values() if (verdict := verdict_of(item, said)) is not None}
    if len(verdicts) == 1:
        return verdicts.pop()
    return Verdict.CONTRADICTED if verdicts == set(FAULTY) else None


def differ(item: Item, by_person: Mapping[str, Said]) -> bool:
    """Whether two people's labels of the answer cannot both be right."""
    verdicts = {verdict for said in by_person.values() if (verdict := verdict_of(item, said)) is not None}
    return len(verdicts) > 1 and verdicts != set(FAULTY)


def labelled_answer(item: Item, by_person: Mapping[str, Said], dataset: str) -> LabelledAnswer | None:
    """The answer as evaluation reads it; None where ``agreed`` is."""
    verdict = agreed(item, by_person)
    if verdict is None:
        return None
    counted = [said for said in by_person.values() if verdict_of(item, said) is not None]
    wrong = sorted(
        (label for said in counted for label in said.values() if label.label in WRONG),
        key=lambda label: item.span(label.segment),
    )
    kinds = [label.error_type for label in wrong if label.error_type is not None]
    spans = [span for label in wrong for span in label.error_spans or _own_span(item, label)]
    every = [pair for said in counted for label in said.values() for pair in label.evidence]
    faulty = verdict in FAULTY
    return LabelledAnswer(
        id=item.id,
        answer=item.answer,
        passages=item.passages,
        label=verdict,
        question=item.question,
        error_type=kinds[0] if faulty and kinds else None,
        error_name=kinds[0].value if faulty and kinds else None,
        error_spans=tuple(dict.fromkeys(spans)) if faulty else (),
        evidence=tuple(dict.fromkeys(every)),
        lang=item.lang or language(item.answer),
        dataset=dataset,
        group=item.question or item.id,
    )


def _own_span(item: Item, label: Label) -> list[Span]:
    span = item.span(label.segment)
    return [] if label.segment == WHOLE or span.start >= span.end else [span]


def answers(labels: Labels, dataset: str) -> list[LabelledAnswer]:
    """The answers that have a label, in the order in which they were first labelled."""
    found = (labelled_answer(item, labels.now.get(ident, {}), dataset) for ident, item in labels.items.items())
    return [answer for answer in found if answer is not None]
