"""BM25 over documents of one's own; nothing leaves the machine. The only place where ``bm25s`` is imported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from guardrail.check.intake import PassageLike, read_passages
from guardrail.errors import ConfigurationError, MissingExtraError, UsageError
from guardrail.retrieval.chunks import chunk
from guardrail.retrieval.documents import read_folder
from guardrail.text.words import content_words
from guardrail.types import Passage

_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class BM25Retriever:
    """Looks passages up by their words (Robertson's BM25 as in Lucene); English, Chinese, and other scripts with words.

    The index is built once, here, and kept in memory; after that nothing changes, so threads may share it. Equal scores
    come in the order of the documents.

    Args:
        source: A folder of ``.txt``, ``.md`` and ``.jsonl`` files (see ``guardrail.retrieval.documents``), or the
            documents themselves, as passages are given to the guard.
        words: Longest passage, in words (Chinese: characters).

    Raises:
        MissingExtraError: ``bm25s`` is not installed.
        UsageError: a document cannot be read, two have the same id, or there are none.
    """

    def __init__(self, source: str | Path | Iterable[PassageLike], *, words: int = 120) -> None:
        try:
            import bm25s
        except ImportError as error:
            raise MissingExtraError('BM25 needs bm25s. Run: pip install "rag-guardrail[retrieval]"') from error
        if words < 1:
            raise ConfigurationError(f"words must be at least 1, got {words!r}.")
        documents = read_passages(read_folder(Path(source)) if isinstance(source, (str, Path)) else source)
        self._passages = tuple(piece for document in documents for piece in _pieces(document, words))
        words_of = [terms(f"{p.title or ''} {p.text}") for p in self._passages]
        if not any(words_of):
            raise UsageError("there are no documents to retrieve from, or none that has a word to be found by.")
        self._index = bm25s.BM25(method="lucene")
        self._index.index(words_of, show_progress=False)

    def __len__(self) -> int:
        """Passages in the index."""
        return len(self._passages)

    def retrieve(self, query: str, limit: int) -> Sequence[Passage]:
        """At most ``limit`` passages that share a word with the query, best first; ids are "document#n", n from 1."""
        words = list(dict.fromkeys(terms(query)))
        if not words:
            return ()
        scores = self._index.get_scores(words)
        ranked = np.argsort(-scores, kind="stable")[: max(0, limit)]
        return tuple(self._passages[int(number)] for number in ranked if scores[number] > 0.0)


def terms(text: str) -> list[str]:
    """Content words; of Chinese the single characters and each two neighbours, since words are not set apart."""
    words = content_words(text)
    pairs = (first + second for first, second in pairwise(words) if _HAN.match(first) and _HAN.match(second))
    return [*words, *pairs]


def _pieces(document: Passage, words: int) -> Sequence[Passage]:
    return [
        Passage(id=f"{document.id}#{number}", title=document.title, text=span.of(document.text))
        for number, span in enumerate(chunk(document.text, words), 1)
    ]
