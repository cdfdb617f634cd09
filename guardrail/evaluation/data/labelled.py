"""A labelled answer: what every reader of a data set yields, and what evaluation and calibration take."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.types import ErrorType, Passage, Span, Verdict

_SEED = 5
"""Of ``select``: the same part of a data set every time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswer:
    """An answer (or a single claim) with its passages and what a person said of it.

    Attributes:
        id: Unique within a data set.
        answer: The answer or claim to check.
        passages: What it was generated from.
        label: SUPPORTED, CONTRADICTED, UNSUPPORTED, or ABSTAINED for an answer that declines.
        question: What was asked, if known.
        error_type: Kind of error, where the data names one of ours; ``error_name`` keeps the data's own word.
        error_spans: Wrong stretches of ``answer``; empty where not labelled.
        evidence: (passage number, span) pairs that support or refute; empty where not labelled.
        mixed: Whether facts of namesakes are mixed up, where labelled.
        lang: Language tag.
        dataset: Name of the set or file.
        group: Answers of one group share a question or passages; resampling keeps them together.
        claim: True where one claim was labelled rather than a whole answer.
        part_of: The answer (its text or id) that a claim is part of; empty where unknown or for a whole answer.
    """

    id: str
    answer: str
    passages: tuple[Passage, ...]
    label: Verdict
    question: str | None = None
    error_type: ErrorType | None = None
    error_name: str | None = None
    error_spans: tuple[Span, ...] = ()
    evidence: tuple[tuple[int, Span], ...] = ()
    mixed: bool | None = None
    lang: str = "en"
    dataset: str = ""
    group: str = ""
    claim: bool = False
    part_of: str = ""

    @property
    def supported(self) -> bool:
        """Whether the passages support all of it."""
        return self.label is Verdict.SUPPORTED


def select(answers: Sequence[LabelledAnswer], limit: int | None) -> list[LabelledAnswer]:
    """At most ``limit`` rows, drawn with a fixed seed, in their old order; an answer and its claims stay together.

    Where not even one answer fits with all its claims, the first claims of one are taken.
    """
    if limit is None or len(answers) <= limit:
        return list(answers)
    wholes: dict[tuple[str, str, str], list[int]] = {}
    for number, answer in enumerate(answers):
        wholes.setdefault((answer.dataset, answer.group, answer.part_of or answer.id), []).append(number)
    order = list(wholes.values())
    random.Random(_SEED).shuffle(order)  # noqa: S311  a draw, not a secret
    chosen: list[int] = []
    for rows in order:
        if len(chosen) + len(rows) <= limit:
            chosen.extend(rows)
    return [answers[number] for number in sorted(chosen or order[0][:limit])]
