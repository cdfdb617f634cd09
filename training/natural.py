"""Close pairs from the articles of the human-labelled sets: real prose, with our edits and injected errors.

The human rows label few claims per article; edits of its own sentences make an article worth as many pairs as wanted.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from guardrail.evaluation.stress import right_versions, wrong_versions
from training.pairs import (
    CONTRADICTED,
    NOT_SUPPORTED,
    REFUTING,
    SUPPORTED,
    Pair,
    held_out,
    one_of_a_kind,
    read_rows,
)

SETS = ("frank__sentences", "factcg_cg2c_synth", "bump", "wice__tokens", "check_covid")
WINDOW_WORDS = (40, 170)
_BOUNDARY = re.compile(r"(?<=[.!?])\s+(?=[\"“A-Z0-9])")
_PLAIN = re.compile(r"^[\"“]?[A-Z][^|#\[\]{}<>=]{40,260}[.!?][\"”]?$")


@dataclass(frozen=True, slots=True)
class Article:
    """Sentences of one document; ``group`` keeps it in its fold."""

    sentences: tuple[str, ...]
    group: str
    dataset: str


def articles(data: Path, *, held: bool) -> list[Article]:
    """Documents of one fold, each once."""
    found: dict[str, Article] = {}
    for path in sorted((data / "train").glob("*.jsonl.gz")):
        if not path.name.startswith(SETS):
            continue
        for row in read_rows(path):
            group = f"{row['dataset']}:{row['group']}"
            if group in found or held_out(group) != held:
                continue
            text = " ".join(row["passages"])[:12_000]
            sentences = tuple(s for s in _BOUNDARY.split(text) if s.strip())
            if len(sentences) >= 3:
                found[group] = Article(sentences, group, row["dataset"])
    return list(found.values())


def natural_pairs(data: Path, rng: random.Random, count: int, *, held: bool = False) -> Iterator[Pair]:
    """``count`` pairs of a stretch of an article and a sentence of it, kept true, made false, or cut out."""
    pool = articles(data, held=held)
    while pool and count:
        article = rng.choice(pool)
        usable = [i for i, s in enumerate(article.sentences) if _PLAIN.match(s) and len(s.split()) >= 7]
        if not usable:
            pool.remove(article)
            continue
        made = _pair(article, rng.choice(usable), rng)
        if made is not None:
            count -= 1
            yield made


def _pair(article: Article, index: int, rng: random.Random) -> Pair | None:
    sentence, near = article.sentences[index], _stretch(article.sentences, index, rng)
    kind = rng.random()
    others = [s for i, s in enumerate(article.sentences) if i != index]
    if kind < 0.10:
        left = [article.sentences[i] for i in near if i != index]
        if not left:
            return None
        return Pair(" ".join(left), _true(sentence, rng, others), NOT_SUPPORTED, "natural", article.group)
    premise = " ".join(article.sentences[i] for i in near)
    if kind < 0.55:
        claim, label = _true(sentence, rng, others), SUPPORTED
        if index + 1 in near and rng.random() < 0.15 and _PLAIN.match(article.sentences[index + 1]):
            claim = f"{claim} {_true(article.sentences[index + 1], rng, others)}"
        return Pair(premise, claim, label, "natural", article.group)
    made = one_of_a_kind(wrong_versions(sentence, rng, others=others), rng)
    if made is None:
        return None
    label = CONTRADICTED if made[0] in REFUTING else NOT_SUPPORTED
    return Pair(premise, made[1], label, "natural", article.group, made[0])


def _true(sentence: str, rng: random.Random, others: list[str]) -> str:
    right = right_versions(sentence, rng, others=others)
    return rng.choice(right) if right and rng.random() < 0.85 else sentence


def _stretch(sentences: tuple[str, ...], index: int, rng: random.Random) -> range:
    """Neighbouring sentences around one, up to a random number of words."""
    budget = rng.randint(*WINDOW_WORDS)
    first, last, words = index, index, len(sentences[index].split())
    while True:
        sides = [i for i in (first - 1, last + 1) if 0 <= i < len(sentences)]
        sides = [i for i in sides if words + len(sentences[i].split()) <= budget]
        if not sides:
            return range(first, last + 1)
        chosen = rng.choice(sides)
        words += len(sentences[chosen].split())
        first, last = min(first, chosen), max(last, chosen)
