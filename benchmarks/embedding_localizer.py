"""Evidence and faults by token embeddings in context: RefChecker's embedding localizer with what it lacks.

RefChecker (2023, "Localization") compares pooled embeddings from the model's input layer, in which a word is the same
wherever it stands. Here a passage is read whole, so that a word's embedding knows its sentence; every content word of
the claim is matched to its most similar word of the passages, and the matches are merged to spans.

An alternative to the guard's own spans, for a model of one's choice; the guard does not call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from guardrail.errors import ConfigurationError, MissingExtraError
from guardrail.text.passages import Sentence, sentences, windows
from guardrail.text.words import Word, read_words
from guardrail.types import Evidence, Passage, Span

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_KEPT_TEXTS = 256
"""Texts whose embeddings are kept: the claims of an answer share their passages."""

Vectors = npt.NDArray[np.float32]
Place = tuple[int, Word]
"""A word of a passage, with the number of the passage."""


@dataclass(frozen=True)
class EmbeddingLocalizer:
    """Matches the words of a claim to words of passages.

    Attributes:
        model: Folder of a sentence-transformers model, or a loaded one. Nothing is downloaded.
        similarity: Cosine from which a word of a passage is evidence for a word of the claim.
        foreign: Cosine below which a word of the claim is like nothing in the passages.
        gap: Words between two matches of one sentence that are still taken into the span.
        in_context: False compares input embeddings, as RefChecker does (for comparison).

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ConfigurationError: there is no such folder, or its tokenizer gives no offsets.
    """

    model: str | Path | SentenceTransformer
    similarity: float = 0.4
    foreign: float = 0.6
    gap: int = 15
    in_context: bool = True

    def evidence(self, claim: str, passages: Sequence[Passage]) -> tuple[Evidence, ...]:
        """Stretches of the passages that speak of the claim, in order."""
        found = []
        matched = self._matched(claim, passages)
        for number, passage in enumerate(passages):
            places = [word for owner, word in matched if owner == number]
            spans = self._merge(passage, places)
            found += [Evidence(passage_id=passage.id, span=s, quote=s.of(passage.text)) for s in spans]
        return tuple(found)

    def faults(self, claim: str, passages: Sequence[Passage]) -> tuple[Span, ...]:
        """Stretches of the claim whose content words no passage has anything like, in order."""
        words = read_words(claim)
        vectors = self._vectors(claim, words)
        best = self._similarities(vectors, passages)[0]
        odd = [n for n, word in enumerate(words) if _content(word) and best[n] < self.foreign]
        runs: list[list[int]] = []
        for n in odd:
            if runs and not any(_content(word) for word in words[runs[-1][-1] + 1 : n]):
                runs[-1].append(n)
            else:
                runs.append([n])
        return tuple(Span(words[run[0]].start, words[run[-1]].end) for run in runs)

    def _matched(self, claim: str, passages: Sequence[Passage]) -> list[Place]:
        """The most similar word of the passages for each content word of the claim that has one."""
        words = read_words(claim)
        best, places = self._similarities(self._vectors(claim, words), passages)
        return [places[n] for n, word in enumerate(words) if _content(word) and best[n] >= self.similarity]

    def _similarities(self, vectors: Vectors, passages: Sequence[Passage]) -> tuple[list[float], list[Place]]:
        """Greatest cosine with a content word of the passages, and that word, for each vector."""
        best = [-1.0] * len(vectors)
        places: list[Place] = [(0, Word("", "", 0, 0))] * len(vectors)
        for number, passage in enumerate(passages):
            parts = sentences(passage.text)
            for window in windows(number, passage):
                start, end = parts[window.first].span.start, parts[window.last].span.end
                text = passage.text[start:end]
                words = [word for word in read_words(text) if _content(word)]
                if not words or not len(vectors):
                    continue
                cosines = vectors @ self._vectors(text, words).T
                for n, nearest in enumerate(cosines.argmax(axis=1).tolist()):
                    if cosines[n, nearest] > best[n]:
                        word = words[nearest]
                        best[n] = float(cosines[n, nearest])
                        places[n] = (number, word._replace(start=word.start + start, end=word.end + start))
        return best, places

    def _merge(self, passage: Passage, places: Sequence[Word]) -> list[Span]:
        """Spans over matches of one sentence that are near each other; a single match says nothing."""
        spans = []
        for sentence in sentences(passage.text):
            run: list[Word] = []
            for word in sorted({w for w in places if _inside(w, sentence)}, key=lambda w: w.start):
                if run and len(read_words(passage.text[run[-1].end : word.start])) > self.gap:
                    spans += _span(run)
                    run = []
                run.append(word)
            spans += _span(run)
        return spans

    def _vectors(self, text: str, words: Sequence[Word]) -> Vectors:
        """A unit vector per word: the mean over its tokens (zero where the model's window ends before it)."""
        kept = self._kept.get(text)
        if kept is None or len(kept) != len(words):
            kept = self._embed(text, words)
            if len(self._kept) >= _KEPT_TEXTS:
                self._kept.clear()
            self._kept[text] = kept
        return kept

    @cached_property
    def _kept(self) -> dict[str, Vectors]:
        return {}

    def _embed(self, text: str, words: Sequence[Word]) -> Vectors:
        loaded = self._loaded
        encoded = loaded.tokenizer(text, return_offsets_mapping=True, truncation=True, max_length=loaded.max_seq_length)
        if self.in_context:
            tokens = loaded.encode(text, output_value="token_embeddings", show_progress_bar=False)
            table = np.asarray(tokens.cpu(), dtype=np.float32)
        else:
            transformer: Any = loaded[0]
            weights = transformer.auto_model.get_input_embeddings().weight
            table = weights[encoded["input_ids"]].detach().cpu().numpy().astype(np.float32)
        result = np.zeros((len(words), table.shape[1]), dtype=np.float32)
        offsets = encoded["offset_mapping"]
        for n, word in enumerate(words):
            own = [i for i, (a, b) in enumerate(offsets) if a < word.end and word.start < b]
            if own:
                mean = table[own].mean(axis=0)
                result[n] = mean / max(float(np.linalg.norm(mean)), 1e-9)
        return result

    @cached_property
    def _loaded(self) -> SentenceTransformer:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError(
                "the embedding localizer needs sentence-transformers: pip install 'rag-guardrail[embeddings]'"
            ) from error
        model = self.model
        if isinstance(model, (str, Path)):
            if not Path(model).is_dir():
                raise ConfigurationError(
                    f"no model folder {str(model)!r}. Name a folder that holds a sentence-transformers model; "
                    "nothing is downloaded."
                )
            model = SentenceTransformer(str(model), device="cpu", local_files_only=True)
        if not getattr(model.tokenizer, "is_fast", False):
            raise ConfigurationError("the model's tokenizer gives no offsets; use a model with a fast tokenizer.")
        return model


def _content(word: Word) -> bool:
    return bool(word.stem) or word.form[:1].isdigit()


def _inside(word: Word, sentence: Sentence) -> bool:
    return sentence.span.start <= word.start and word.end <= sentence.span.end


def _span(run: Sequence[Word]) -> list[Span]:
    return [Span(run[0].start, run[-1].end)] if len(run) > 1 else []
