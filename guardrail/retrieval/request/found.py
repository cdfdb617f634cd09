"""What the evidence resolver finds: passages, each with the place where it stood."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from guardrail.types import Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One passage of a request.

    Attributes:
        passage: It.
        kind: How it was recognised: ``guardrail.passages``, ``grounding_source``, ``tool_message``, ``documents``,
            ``document_block``, ``context_block``, ``numbered_sources`` or ``context_section``.
        place: Where it stood in the body: ``messages[1].content[0]``.
    """

    passage: Passage
    kind: str
    place: str

    def record(self) -> dict[str, Any]:
        """As JSON, without the text: the client has it."""
        return {"id": self.passage.id, "title": self.passage.title, "kind": self.kind, "found_in": self.place}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """What looked like evidence and does not count, and why."""

    kind: str
    place: str
    reason: str

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {"kind": self.kind, "found_in": self.place, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a request brings to check its answer against.

    Attributes:
        found: The passages in the order of the request, with unique ids.
        question: What was asked, if it can be told.
        ignored: What does not count.
    """

    found: tuple[Found, ...] = ()
    question: str | None = None
    ignored: tuple[Ignored, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages alone."""
        return tuple(each.passage for each in self.found)


def distinct(found: Iterable[Found]) -> tuple[Found, ...]:
    """The same, each text once, with unique ids: an id that came twice gets a suffix, none becomes the number."""
    kept: list[Found] = []
    texts: set[tuple[str, str | None]] = set()
    for each in found:
        key = (each.passage.text.strip(), each.passage.title)
        if key[0] and key not in texts:
            texts.add(key)
            kept.append(each)
    given = {each.passage.id for each in kept if each.passage.id}
    used: set[str] = set()
    named = []
    for number, each in enumerate(kept, 1):
        ident = each.passage.id or _free(str(number), given | used, "*")
        ident = _free(ident, used, "'")
        used.add(ident)
        named.append(replace(each, passage=replace(each.passage, id=ident)))
    return tuple(named)


def _free(ident: str, taken: set[str], mark: str) -> str:
    count = 0
    free = ident
    while free in taken:
        count += 1
        free = f"{ident}{mark}{count if count > 1 else ''}"
    return free
