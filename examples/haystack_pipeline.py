"""Guard a Haystack pipeline: replies are checked against the retriever's documents.

    pip install "rag-guardrail[haystack]"
    python examples/haystack_pipeline.py

The reply is recorded, so that the example needs no key; connect a generator's `replies` in its place.
"""

from __future__ import annotations

from guardrail_haystack import GroundingChecker
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

RECORDED = "The garage opens at 6:00 and closes at 23:00. A day costs 19 euros."


def main() -> None:
    """Run the pipeline once."""
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="The garage opens at 6:00 and closes at 23:00. A day costs 14 euros.")])
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store))
    pipeline.add_component("checker", GroundingChecker(policy="annotate"))
    pipeline.connect("retriever.documents", "checker.documents")
    out = pipeline.run({"retriever": {"query": "garage"}, "checker": {"replies": [RECORDED]}})["checker"]
    print(out["replies"][0])


if __name__ == "__main__":
    main()
