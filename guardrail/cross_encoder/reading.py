"""What a model reads and what it makes of it: windows, and readings of segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from guardrail.local.reading import Library
from guardrail.types import Span


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of passage number ``passage``; ``parts`` number its sentences among those of all passages."""

    passage: int
    parts: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Look:
    """One segment against one passage: the best of its windows, and the sentences of the one that decided."""

    supported: float
    contradicted: float
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One segment against all passages read, by number; ``focus`` are stretches of the segment that nothing bears out.

    ``supported`` and ``contradicted`` judge all passages together, as the model's authors do.
    """

    looks: dict[int, Look]
    supported: float
    contradicted: float
    focus: tuple[Span, ...] = ()


class Judge(Protocol):
    """A loaded model that reads segments against passages."""

    def read(
        self,
        segments: Sequence[str],
        library: Library,
        passages: Sequence[int],
        question: str | None,
        stop: Callable[[], bool],
    ) -> list[Reading | None]:
        """A reading per segment over the numbered passages; None for segments not done when ``stop`` said so."""
        ...


def together(looks: dict[int, Look]) -> tuple[float, float]:
    """The most that any passage supports, and the most that any contradicts."""
    supported = max((look.supported for look in looks.values()), default=0.0)
    return supported, max((look.contradicted for look in looks.values()), default=0.0)
