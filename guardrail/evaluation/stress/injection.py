"""Labelled answers from a user's own passages: one error of a known type each, or none (Face4RAG, section 3.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random

from guardrail.evaluation.labelled import LabelledAnswer
from guardrail.evaluation.stress.change import Change
from guardrail.evaluation.stress.composing import Written, compose
from guardrail.evaluation.stress.namesakes import mixed_answers, true_answers
from guardrail.evaluation.stress.places import Corpus, Place, read_corpus
from guardrail.evaluation.stress.sentences import changes, right_versions
from guardrail.types import ErrorType, Passage, Verdict

POSITIVES = 4
"""Honest answers for each error type asked for: a false-alarm rate needs more of them than a recall does."""

DATASET = "stress"

_CONTRADICTING = frozenset(
    {ErrorType.CONTRADICTION, ErrorType.ENTITY_INVERSION, ErrorType.CONFLATION, ErrorType.CONCEPTUAL_SUBSTITUTION}
)
_MAX_SENTENCES = 20_000
"""Sentences tried at most; beyond that a random part of the corpus is enough."""


def inject(
    passages: Sequence[Passage], *, seed: int = 0, per_type: int = 20, langs: Sequence[str] = ("en", "zh")
) -> Iterator[LabelledAnswer]:
    """Make labelled answers of every error type that these passages allow, and honest ones.

    Args:
        passages: The corpus. Passages with namesakes' titles ("X (swimmer)", "X (poet)") also give mixed entities.
        seed: The same seed and passages give the same answers.
        per_type: Answers of each error type at most, and four times as many honest ones; types for which the corpus
            has no sure sentence come out fewer or not at all.
        langs: Languages of the sentences to use: "en", "zh" or both.

    Yields:
        Answers of one to four sentences with ``label``, ``error_type``, ``error_spans`` and ``evidence``, by type in
        the order of ErrorType, the honest ones last. An answer's passages are its own and up to two others.
    """
    rng = Random(f"guardrail stress {seed}")  # noqa: S311  a test has to be repeatable, not secret
    corpus = read_corpus(passages, langs)
    places = list(corpus.places)
    rng.shuffle(places)
    found: dict[ErrorType, list[tuple[Place, Change]]] = defaultdict(list)
    for place in places[:_MAX_SENTENCES]:
        for change in _one_of_each(changes(place.text, rng, others=corpus.others(place)), rng):
            found[change.kind].append((place, change))
    for kind in ErrorType:
        if kind is ErrorType.MIXED_ENTITIES:
            yield from mixed_answers(corpus, rng, per_type)
            continue
        written = (compose(corpus, place, rng, change=change) for place, change in _spread(found[kind]))
        yield from _labelled(corpus, written, rng, per_type, kind)
    if "en" in langs:
        yield from true_answers(corpus, rng, per_type)
    yield from _labelled(corpus, _honest(corpus, places, rng), rng, POSITIVES * per_type, None)


def _one_of_each(found: list[Change], rng: Random) -> Iterator[Change]:
    """One change of each type, so that a type's answers differ."""
    kinds: dict[ErrorType, list[Change]] = defaultdict(list)
    for change in found:
        kinds[change.kind].append(change)
    for same in kinds.values():
        yield rng.choice(same)


def _spread(found: list[tuple[Place, Change]]) -> list[tuple[Place, Change]]:
    """The first of every passage, then the second of every passage, and so on."""
    seen: dict[int, int] = defaultdict(int)
    turns: list[int] = []
    for place, _ in found:
        turns.append(seen[place.passage])
        seen[place.passage] += 1
    return [found[index] for index in sorted(range(len(found)), key=lambda index: (turns[index], index))]


def _honest(corpus: Corpus, places: Sequence[Place], rng: Random) -> Iterator[Written | None]:
    for place in places:
        versions = right_versions(place.text, rng, others=corpus.others(place))
        text = rng.choice(versions) if versions and rng.random() < 0.85 else place.text
        yield compose(corpus, place, rng, text=text)


def _labelled(
    corpus: Corpus, written: Iterator[Written | None], rng: Random, wanted: int, kind: ErrorType | None
) -> Iterator[LabelledAnswer]:
    name = "honest" if kind is None else kind.value
    seen: set[str] = set()
    for one in written:
        if len(seen) == wanted:
            return
        if one is None or one.answer in seen:
            continue
        seen.add(one.answer)
        number, passages = corpus.beside(one.passage, one.answer, rng)
        wrong = Verdict.CONTRADICTED if kind in _CONTRADICTING else Verdict.UNSUPPORTED
        yield LabelledAnswer(
            id=f"{name}-{len(seen):03d}",
            answer=one.answer,
            passages=passages,
            label=Verdict.SUPPORTED if kind is None else wrong,
            error_type=kind,
            error_spans=one.wrong,
            evidence=tuple((number, span) for span in one.evidence),
            lang=one.lang,
            dataset=DATASET,
            group=f"passage {one.passage + 1}",
        )
