"""Retrieved documents: caught on their way, and as passages, in every form in which chains hold them, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, ToolMessage

from guardrail import Passage, UsageError
from guardrail.retrieval.titles import title_of
from guardrail_langchain.answers import text_of


def to_passages(documents: object) -> list[Passage]:
    """Documents as passages: ids are kept where they are unique, titles come from the metadata.

    A title is ``title``, else the name of a file or page (``file_name``, ``source``, ``url`` ...; never a whole path).

    Args:
        documents: One or an iterable of Document, str, Passage, or a document as JSON (``page_content``, ``metadata``).

    Raises:
        UsageError: something else; the message names its type.
    """
    if isinstance(documents, Mapping) and not _is_document(documents):
        raise UsageError(
            f"documents must be a list of Document, str or Passage, got a mapping (keys {sorted(map(str, documents))})."
        )
    if isinstance(documents, (str, Document, Passage, Mapping)) or not isinstance(documents, Iterable):
        documents = [documents]
    passages: list[Passage] = []
    seen: set[str] = set()
    for number, item in enumerate(documents, 1):
        passage = _passage(item)
        ident = passage.id or str(number)
        if passage.id in seen:
            ident = f"{passage.id}#{number}"
        while ident in seen:
            ident += "'"
        seen.add(ident)
        passages.append(Passage(id=ident, text=passage.text, title=passage.title))
    return passages


def to_documents(documents: object) -> list[Document]:
    """The same documents for a LangChain prompt; a Document stays the object it is."""
    if isinstance(documents, Sequence) and all(isinstance(item, Document) for item in documents):
        return list(documents)
    return [
        Document(id=p.id, page_content=p.text, metadata={"title": p.title} if p.title else {})
        for p in to_passages(documents)
    ]


def tool_documents(messages: Iterable[BaseMessage]) -> list[object]:
    """What tools returned in a conversation: the documents of ``ToolMessage.artifact``, else the message's text.

    Messages of tools that failed are no evidence.
    """
    found: list[object] = []
    for message in messages:
        if not isinstance(message, ToolMessage) or message.status == "error":
            continue
        documents = _documents_in(message.artifact)
        if documents:
            found += documents
        elif text := text_of(message).strip():
            found.append(Passage(id=message.tool_call_id, text=text, title=message.name))
    return found


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


def _documents_in(artifact: object) -> list[Document]:
    if isinstance(artifact, Document):
        return [artifact]
    if isinstance(artifact, Mapping):
        artifact = next((v for v in artifact.values() if _documents_in(v)), None)
    if isinstance(artifact, (list, tuple)) and all(isinstance(item, Document) for item in artifact):
        return list(artifact)
    return []


def _is_document(item: Mapping[object, object]) -> bool:
    """A document that went through JSON: of a run's outputs, or as LangChain serialises it."""
    return isinstance(_fields(item).get("page_content"), str)


def _fields(item: Mapping[object, object]) -> Mapping[object, object]:
    inner = item.get("kwargs")
    return inner if isinstance(inner, Mapping) else item


def _passage(item: object) -> Passage:
    if isinstance(item, Document):
        return Passage(id=item.id or "", text=item.page_content, title=title_of(item.metadata))
    if isinstance(item, str):
        return Passage(text=item)
    if isinstance(item, Passage):
        return item
    if isinstance(item, Mapping) and _is_document(item):
        fields = _fields(item)
        ident, title = _str(fields.get("id")) or "", title_of(fields.get("metadata"))
        return Passage(id=ident, text=str(fields["page_content"]), title=title)
    raise UsageError(f"a retrieved document must be a Document, str or Passage, got {type(item).__name__}.")


def _str(value: object) -> str | None:
    return value if isinstance(value, str) else None
