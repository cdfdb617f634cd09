"""Who looks passages up: any object with ``retrieve``, or ``aretrieve`` where the work is awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Protocol, runtime_checkable

from guardrail.check.intake import PassageLike


@runtime_checkable
class Retriever(Protocol):
    """Looks up passages; called from any thread, several calls at once."""

    def retrieve(self, query: str, limit: int) -> Sequence[PassageLike]:
        """At most ``limit`` passages for the query, best first. Whatever it raises makes the answer UNVERIFIED."""
        ...


@runtime_checkable
class AsyncRetriever(Protocol):
    """The same for a retriever whose work is awaited."""

    def aretrieve(self, query: str, limit: int) -> Awaitable[Sequence[PassageLike]]:
        """See Retriever.retrieve."""
        ...
