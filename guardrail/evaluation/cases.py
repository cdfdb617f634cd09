"""Cases: labelled answers that belong together, since they share a question or a passage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from guardrail.evaluation.data.labelled import LabelledAnswer


class Shared(StrEnum):
    """What two answers share where they count as one case."""

    PASSAGE = "passage"  # a passage, or a question
    QUESTION = "question"  # a question: right where the questions are a plain sample and the passages stay the same


def cases(answers: Sequence[LabelledAnswer], shared: Shared = Shared.PASSAGE) -> list[int]:
    """The case of each answer, by the number of the first answer in it.

    Answers of one case are connected by what they share, over several steps if need be. Questions and passages are
    compared without regard to case and white space, ``group`` within one data set.
    """
    above = list(range(len(answers)))

    def first(number: int) -> int:
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    holders: dict[tuple[str, str], int] = {}
    for number, answer in enumerate(answers):
        for key in _keys(answer, shared):
            one, other = sorted((first(holders.setdefault(key, number)), first(number)))
            above[other] = one
    return [first(number) for number in range(len(answers))]


def _keys(answer: LabelledAnswer, shared: Shared) -> Iterator[tuple[str, str]]:
    yield "group", f"{answer.dataset}\0{answer.group or answer.id}"  # the same name in two files is not the same group
    texts = [("question", answer.question or "")]
    if shared is Shared.PASSAGE:
        texts += [("passage", passage.text) for passage in answer.passages]
    for kind, text in texts:
        if plain := " ".join(text.split()).casefold():
            yield kind, plain
