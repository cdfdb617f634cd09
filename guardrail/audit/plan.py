"""What is left to do: each id written once, each content judged once per fingerprint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from guardrail.audit.answer import Found, LoggedAnswer, Rejected
from guardrail.audit.columns import excerpt_of
from guardrail.audit.judging import Batch, Judged, Planned
from guardrail.audit.keys import KeySet
from guardrail.audit.tables import ANSWERS, JUDGEMENTS


@dataclass(slots=True, kw_only=True)
class Plan:
    """What is done already, and what this run has planned since.

    Attributes:
        ids: Hashes of the ids that are written.
        pairs: Hashes of id and content, to tell a repeated row from another answer under the same id.
        contents: Hashes of what was judged under this run's fingerprint.
        again: Rows that were there already, with the same id and content.
        same: Answers that have the texts of one that is judged elsewhere.
    """

    ids: KeySet = field(default_factory=KeySet)
    pairs: KeySet = field(default_factory=KeySet)
    contents: KeySet = field(default_factory=KeySet)
    again: int = 0
    same: int = 0

    def of(self, answer: LoggedAnswer) -> Planned | Rejected:
        """What to do with an answer."""
        key, content = answer.key, answer.content
        new, pair = self.ids.add(key), pair_of(key, content)
        if new:
            self.pairs.add(pair)
        elif pair not in self.pairs:  # and is not remembered, or it would count as done when it comes again
            reason = "its id was used before, for another answer; ids must be unique"
            return Rejected(place=answer.place, id=answer.id, reason=reason, excerpt=excerpt_of(answer.answer))
        judge = self.contents.add(content)
        self.again += not new
        self.same += new and not judge
        return Planned(answer, new, judge)

    def batches(self, found: Iterable[Found], length: int) -> Iterator[Batch]:
        """Batches of at most so many answers with something left to do.

        Rows with nothing left are counted with the next batch, which is made early where there are very many of them.
        """
        items: list[Planned] = []
        rejected: list[Rejected] = []
        size, seen, number = 0.0, 0, 0
        for one, share in found:
            size += share
            seen += 1
            planned = one if isinstance(one, Rejected) else self.of(one)
            if isinstance(planned, Rejected):
                rejected.append(planned)
            elif planned.new or planned.judge:
                items.append(planned)
            if len(items) + len(rejected) >= length or seen >= _IDLE * length:
                yield Batch(number=number, items=tuple(items), rejected=tuple(rejected), size=size, seen=seen)
                items, rejected, size, seen, number = [], [], 0.0, 0, number + 1
        if seen:
            yield Batch(number=number, items=tuple(items), rejected=tuple(rejected), size=size, seen=seen)


_IDLE = 64
_ODD = np.uint64(0x9E3779B97F4A7C15)


def pair_of(key: int, content: int) -> int:
    """The hash of an id with its content."""
    return int(pairs_of(np.array([key], np.int64), np.array([content], np.int64))[0])


def pairs_of(keys: NDArray[np.int64], contents: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same of many; both are hashes already, so that it is enough to mix them."""
    return (keys.astype(np.uint64) * _ODD + contents.astype(np.uint64)).astype(np.int64)


def without_failed(judged: Judged, failed: set[int]) -> Judged:
    """The batch without answers whose texts were to be judged in an earlier batch that failed at them."""
    failed.difference_update(row["content"] for row in judged.rows[JUDGEMENTS])
    failed.update(judged.failed)
    lost = [row for row in judged.rows[ANSWERS] if row["content"] in failed]
    if not lost:
        return judged
    gone = tuple(
        Rejected(place=row["place"], id=row["id"], reason="the same answer and passages could not be judged before")
        for row in lost
    )
    kept = [row for row in judged.rows[ANSWERS] if row["content"] not in failed]
    return replace(judged, rows={**judged.rows, ANSWERS: kept}, rejected=(*judged.rejected, *gone))
