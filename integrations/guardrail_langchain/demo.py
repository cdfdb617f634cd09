"""The chain behind ``guardrail demo``: real langchain-core parts, and recorded answers in place of a paid model."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from guardrail import Passage
from guardrail.text.words import content_words

_DIMENSIONS = 512


class WordEmbeddings(Embeddings):
    """Bags of hashed words: enough to retrieve from a handful of documents without a model download."""

    def embed_query(self, text: str) -> list[float]:
        """One vector of unit length."""
        vector = [0.0] * _DIMENSIONS
        for word in content_words(text):
            vector[zlib.crc32(word.encode()) % _DIMENSIONS] += 1.0
        norm = math.sqrt(sum(v * v for v in vector)) or 1.0
        return [v / norm for v in vector]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text."""
        return [self.embed_query(text) for text in texts]


class RecordedChatModel(BaseChatModel):
    """A chat model that answers with what a model once answered to the same question."""

    answers: Mapping[str, str]

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        prompt = str(messages[-1].content)
        answer = next(a for q, a in self.answers.items() if prompt.endswith(q))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=answer))])


def recorded_rag_chain(documents: Sequence[Passage], answers: Mapping[str, str], top: int) -> Runnable[Any, Any]:
    """Retriever, prompt, model and parser: ``{"input"}`` -> ``{"input", "context", "answer"}``."""
    store = InMemoryVectorStore(WordEmbeddings())
    store.add_documents([Document(id=d.id, page_content=d.text, metadata={"title": d.title}) for d in documents])
    retriever = store.as_retriever(search_kwargs={"k": top})
    prompt = ChatPromptTemplate.from_template("Answer from the documents.\n{context}\nQuestion: {input}")
    generate = prompt | RecordedChatModel(answers=answers) | StrOutputParser()
    return RunnablePassthrough.assign(context=lambda given: retriever.invoke(given["input"])).assign(answer=generate)
