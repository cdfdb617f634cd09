"""What a stream asks its driver to do; everything else it does is pure."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from guardrail.streaming.events import StreamEvent
from guardrail.types import GuardedAnswer, Passage, Report


@dataclass(frozen=True, slots=True)
class More:
    """The next text, or all that is there (``gather``); the reply is a str, None at the end."""

    gather: bool = False


@dataclass(frozen=True, slots=True)
class Enough:
    """No more text is wanted: close the source now. The reply is None."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """Get the passages; the reply is a tuple of them."""


@dataclass(frozen=True, slots=True)
class CheckAll:
    """Check a whole answer with the guard as it is; the reply is its Report."""

    text: str


@dataclass(frozen=True, slots=True)
class CheckSome:
    """Check an answer up to ``until`` (None = all), each segment once; ``long``: see Memory. The reply is a Report."""

    text: str
    until: int | None
    long: bool = False


@dataclass(frozen=True, slots=True)
class Depends:
    """Whether the last report may change with the number of segments to come; the reply is a bool."""


@dataclass(frozen=True, slots=True)
class Mend:
    """Apply the policy to a report, and repair what it asks to repair; the reply is a GuardedAnswer.

    ``only_edit``: ask nobody for a new answer.
    """

    report: Report
    only_edit: bool = False


Step = More | Enough | Fetch | CheckAll | CheckSome | Depends | Mend
Reply = str | bool | tuple[Passage, ...] | Report | GuardedAnswer | None
Plan = Generator[Step | StreamEvent, Reply, None]

T = TypeVar("T")


def expect(kind: type[T], reply: Reply) -> T:
    """The reply, which the driver owes in that type."""
    if not isinstance(reply, kind):
        raise TypeError(f"a stream's step must be answered with {kind.__name__}, got {type(reply).__name__}")
    return reply
