"""Documents caught on their way: a callback handler that belongs to one call of a chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document


class Retrieved(BaseCallbackHandler):
    """What the retrievers of one call returned.

    Made for one call and handed only to its runs, so concurrent calls cannot mix. A retriever inside another one (an
    ensemble's, a compressor's) does not count: what it found the outer one may have dropped.
    """

    run_inline = True  # too short for a thread of its own in async chains
    ignore_llm = True
    ignore_chat_model = True
    ignore_agent = True
    ignore_retry = True
    ignore_custom_event = True

    def __init__(self) -> None:
        self._parents: dict[UUID, UUID | None] = {}
        self._found: dict[UUID, Sequence[Document] | None] = {}

    @property
    def documents(self) -> list[Document] | None:
        """All of them, in the order in which the retrievers started, each once; None where none has returned."""
        done = [found for found in tuple(self._found.values()) if found is not None]
        if not done:
            return None
        documents: list[Document] = []
        for document in (each for found in done for each in found):
            if document not in documents:
                documents.append(document)
        return documents

    def on_chain_start(self, *_: Any, run_id: UUID, parent_run_id: UUID | None = None, **__: Any) -> None:
        """Note whose part it is."""
        self._parents[run_id] = parent_run_id

    def on_retriever_start(self, *_: Any, run_id: UUID, parent_run_id: UUID | None = None, **__: Any) -> None:
        """Note whose part it is, and keep its place in the order."""
        self._parents[run_id] = parent_run_id
        if not self._inside_another(run_id):
            self._found[run_id] = None

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:
        """Keep what it returned."""
        if run_id in self._found:
            self._found[run_id] = documents

    def _inside_another(self, run_id: UUID) -> bool:
        above = self._parents.get(run_id)
        while above is not None:
            if above in self._found:
                return True
            above = self._parents.get(above)
        return False
