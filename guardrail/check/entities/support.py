"""How much of a segment an entity's passages support, by words and by what the matrix has read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import fsum

from guardrail.check.entities.names import name_key
from guardrail.check.entities.namesakes import NamesakeGroup
from guardrail.text.words import Overlap, content_words
from guardrail.types import Entity, Passage, Segment, SupportMatrix

_NAME_OR_NUMBER = re.compile(r"\d[\w.,/-]*|(?<![.!?]\s)(?<!^)[A-Z][\w'’-]+")
_BORDER = re.compile(r"(?<=[0-9A-Za-z])(?=[\u3400-\u9fff])")
_EMPHASIS = 1.6  # names and numbers tell individuals apart better than other words
_READ = 0.5


def _content(text: str) -> tuple[str, ...]:
    """Content words, with digits and Latin letters set apart from Chinese ("1990年举办" has the number 1990)."""
    return content_words(_BORDER.sub(" ", text))


class Support:
    """Words and cells of one answer, looked up by segment id and entity."""

    def __init__(self, matrix: SupportMatrix, segments: Sequence[Segment], passages: Sequence[Passage]) -> None:
        self._text = {segment.id: segment.text for segment in segments}
        self._cells = {row.segment_id: row.cells for row in matrix.rows}
        bags = [_content(f"{passage.title or ''} {passage.text}") for passage in passages]
        self._bags = [frozenset(bag) for bag in bags]
        self._overlap = Overlap(bags)
        self._cache: dict[tuple[str, str], dict[str, float]] = {}

    def text(self, segment_id: str) -> str:
        """The stand-alone text of a segment; "" for an unknown id."""
        return self._text.get(segment_id, "")

    def of(self, segment_id: str, entity: Entity, family: NamesakeGroup) -> float:
        """Support (0..1) by the entity's best passage, words and cells together."""
        words = self._words(segment_id, family)
        total = fsum(words.values())
        best = 0.0
        for number in entity.passages:
            covered = (
                fsum(weight for word, weight in words.items() if word in self._bags[number]) / total if total else 0.0
            )
            read = self._cell(segment_id, number)
            best = max(best, covered if read is None else (covered + read) / 2)
        return best

    def reads(self, segment_id: str, entity: Entity) -> bool | None:
        """Whether a cell of the entity supports the segment; None if none was read."""
        read = [cell for number in entity.passages if (cell := self._cell(segment_id, number)) is not None]
        return max(read) >= _READ if read else None

    def against(self, segment_id: str, linked: Entity, other: Entity, family: NamesakeGroup) -> tuple[float, float]:
        """Share of the segment that only ``other`` has, and by how much it covers more than ``linked``."""
        words = self._words(segment_id, family)
        total = fsum(words.values())
        if not total:
            return 0.0, 0.0
        ours, theirs = self._all(linked), self._all(other)
        theirs_only = [word for word in words if word in theirs and word not in ours]
        if len(theirs_only) < 2 and not any(word[0].isdigit() for word in theirs_only):
            return 0.0, 0.0  # a single word is chance, a single date or number is not
        only = fsum(words[word] for word in theirs_only)
        kept = fsum(weight for word, weight in words.items() if word in ours and word not in theirs)
        return only / total, (only - kept) / total

    def _cell(self, segment_id: str, number: int) -> float | None:
        cells = self._cells.get(segment_id, ())
        cell = cells[number] if number < len(cells) else None
        return None if cell is None else cell.supported

    def _all(self, entity: Entity) -> frozenset[str]:
        return frozenset().union(*(self._bags[number] for number in entity.passages))

    def _words(self, segment_id: str, family: NamesakeGroup) -> dict[str, float]:
        """Weights of the segment's words but for the shared name, which tells nobody apart."""
        key = segment_id, family.name
        if key not in self._cache:
            text = self.text(segment_id)
            named = set(_content(" ".join(word for name in family.names for word in name_key(name))))
            strong = {word for match in _NAME_OR_NUMBER.findall(text) for word in _content(match)}
            self._cache[key] = {
                word: self._overlap.weight(word) * (_EMPHASIS if word in strong else 1.0)
                for word in set(_content(text)) - named
            }
        return self._cache[key]
