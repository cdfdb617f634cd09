"""The document index of the example: the demo's documents, cut into chunks and embedded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources

from guardrail_langchain.demo import WordEmbeddings
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever

TOP = 2
REFRESHED = "Larkmoor Dam: visitor information"
"""The page that has changed since the first index."""


@dataclass(frozen=True, slots=True)
class Index:
    """A name, and the length of a chunk in characters: of all pages, and of the page that was read again."""

    name: str
    chunk: int = 600
    chunk_refreshed: int = 600

    def retriever(self) -> VectorStoreRetriever:
        """Build it, and give its retriever."""
        store = InMemoryVectorStore(WordEmbeddings())  # stands for your vector store and your embeddings
        store.add_documents([chunk for page in pages() for chunk in self._chunks(page)])
        return store.as_retriever(search_kwargs={"k": TOP})

    def _chunks(self, page: Document) -> list[Document]:
        size = self.chunk_refreshed if page.metadata["title"] == REFRESHED else self.chunk
        text = page.page_content
        return [
            Document(id=f"{page.id}.{n}", page_content=text[start : start + size], metadata=page.metadata)
            for n, start in enumerate(range(0, len(text), size))
        ]


def pages() -> list[Document]:
    """The documents that ``guardrail demo`` ships."""
    case = json.loads(resources.files("guardrail.evaluation.data").joinpath("demo_case.json").read_text("utf-8"))
    return [
        Document(id=f"p{n}", page_content=page["text"], metadata={"title": page["title"]})
        for n, page in enumerate(case["documents"], 1)
    ]
