"""Mixed entities: facts of two individuals who share a name told of one (D-FActScore, section 3)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations
from random import Random

from guardrail.check.entities import cluster
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.stress.corpus import Corpus, Place
from guardrail.evaluation.stress.sentences import fit
from guardrail.types import ErrorType, Span, Verdict

_TAG = re.compile(r"\s*[(（].*[)）]\s*$")
_HE = re.compile(r"\b(?:he|his|him)\b", re.IGNORECASE)
_SHE = re.compile(r"\b(?:she|her|hers)\b", re.IGNORECASE)
_TRIES = 8


def _families(corpus: Corpus) -> list[tuple[str, list[int]]]:
    """Names with the passages of different individuals that bear them, one passage each."""
    named: dict[str, list[int]] = defaultdict(list)
    for number, passage in enumerate(corpus.passages):
        if passage.title:
            named[_TAG.sub("", passage.title).strip()].append(number)
    families: list[tuple[str, list[int]]] = []
    for name, numbers in named.items():
        if len(name) > 1 and len({corpus.passages[n].title for n in numbers}) > 1:
            found = cluster([corpus.passages[n] for n in numbers])
            bearers = [numbers[entity.passages[0]] for entity in found if entity.shares_name]
            if len(bearers) > 1:
                families.append((name, bearers))
    return families


def mixed_answers(corpus: Corpus, rng: Random, wanted: int) -> Iterator[LabelledAnswer]:
    """Answers that start with one individual and go on with a sentence about a namesake."""
    pairs = [(name, one, two) for name, bearers in _families(corpus) for one, two in permutations(bearers, 2)]
    rng.shuffle(pairs)
    seen: set[str] = set()
    for name, one, two in pairs * _TRIES:
        if len(seen) == wanted:
            return
        head = _opening(corpus, one, name, rng)
        tail = _later(corpus, two, name, rng)
        if head is None or tail is None or tail.text in corpus.passages[one].text or head[0].lang != tail.lang:
            continue
        start = " ".join(place.text for place in head)
        spoken = f"{corpus.passages[one].text} {start}"
        if (_HE.search(spoken) and _SHE.search(tail.text)) or (_SHE.search(spoken) and _HE.search(tail.text)):
            continue
        gap = "" if tail.lang == "zh" else " "
        begun = gap.join(place.text for place in head) + gap
        answer = begun + tail.text
        if answer in seen:
            continue
        seen.add(answer)
        numbers = [one, two]
        rng.shuffle(numbers)
        yield LabelledAnswer(
            id=f"mixed_entities-{len(seen):03d}",
            answer=answer,
            passages=tuple(corpus.passages[n] for n in numbers),
            label=Verdict.UNSUPPORTED,
            error_type=ErrorType.MIXED_ENTITIES,
            error_spans=(Span(len(begun), len(answer)),),
            evidence=(*((numbers.index(one), p.span) for p in head), (numbers.index(two), tail.span)),
            mixed=True,
            lang=tail.lang,
            dataset="stress",
            group=f"name {name}",
        )


def true_answers(corpus: Corpus, rng: Random, wanted: int) -> Iterator[LabelledAnswer]:
    """Answers about one individual only, although a namesake's passage is there too."""
    families = _families(corpus)
    seen: set[str] = set()
    for name, bearers in families * _TRIES:
        if len(seen) == wanted:
            return
        one = rng.choice(bearers)
        head = _opening(corpus, one, name, rng)
        answer = " ".join(place.text for place in head or ())
        if head is None or answer in seen or head[0].lang != "en":
            continue
        seen.add(answer)
        numbers = list(bearers)
        rng.shuffle(numbers)
        yield LabelledAnswer(
            id=f"honest-namesake-{len(seen):03d}",
            answer=answer,
            passages=tuple(corpus.passages[n] for n in numbers),
            label=Verdict.SUPPORTED,
            evidence=tuple((numbers.index(one), p.span) for p in head),
            mixed=False,
            lang="en",
            dataset="stress",
            group=f"name {name}",
        )


def _opening(corpus: Corpus, passage: int, name: str, rng: Random) -> tuple[Place, ...] | None:
    """The first one to three sentences, if they begin by naming the individual."""
    places = corpus.sentences[passage]
    if not places or not _speaks_of(places[0], name) or places[0].lang not in corpus.langs:
        return None
    head = places[: rng.choice((1, 2, 2, 3))]
    return head if all(fit(place.text) for place in head) else None


def _later(corpus: Corpus, passage: int, name: str, rng: Random) -> Place | None:
    """A sentence after the first whose subject is the individual."""
    usable = [p for p in corpus.sentences[passage][1:] if fit(p.text) and _begins_with(p.text, name)]
    return rng.choice(usable) if usable else None


def _speaks_of(place: Place, name: str) -> bool:
    return place.text.startswith((name, name.rsplit(maxsplit=1)[-1], name.split(maxsplit=1)[0]))


def _begins_with(text: str, name: str) -> bool:
    words = (*name.split(), *("He", "She", "It", "His", "Her", "Its", "他", "她", "它"))
    return text.startswith(tuple(f"{word} " if word.isascii() else word for word in words))
