"""Our record store: answers that a guard has recorded, to judge them again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from guardrail.audit.answer import Found, LoggedAnswer, Rejected
from guardrail.audit.columns import read_passages
from guardrail.audit.sources.source import Piece
from guardrail.telemetry.records import RecordStore


@dataclass(frozen=True, slots=True)
class Records:
    """A record store; records without texts are rejected."""

    path: str

    @property
    def size(self) -> float:
        """Records."""
        return float(RecordStore(self.path).count())

    def pieces(self) -> Iterator[Piece]:
        """See Source.pieces."""
        yield Piece(path=str(Path(self.path).absolute()), size=self.size)

    def read(self, piece: Piece) -> Iterator[Found]:
        """See Source.read."""
        for record in RecordStore(piece.path).records():
            place = f"{piece.path}:{record.id}"
            if record.left_out is not None:
                yield Rejected(place=place, id=record.id, reason=f"its texts were not stored: {record.left_out}"), 1.0
                continue
            texts = [{"id": p.id, "title": p.title, "text": p.text} for p in record.passages]
            passages, documents = read_passages(texts)
            answer = LoggedAnswer(
                id=record.id,
                answer=record.answer,
                passages=passages,
                documents=documents,
                question=record.question,
                at=record.at,
                labels=dict(record.labels),
                place=place,
            )
            yield answer, 1.0
