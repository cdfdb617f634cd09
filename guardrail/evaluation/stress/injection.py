"""Labelled answers from a user's own passages: one error of a known type each, or none (Face4RAG, section 3.2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.stress.change import Change
from guardrail.evaluation.stress.corpus import Corpus, Place, Written, compose, read_corpus
from guardrail.evaluation.stress.namesakes import mixed_answers, true_answers
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCount:
    """What one rule makes of a corpus.

    ``sentences`` it can make wrong, ``answers`` of them if one change of each type is drawn per sentence, and their
    ``share`` (0..1) of all answers of the type.
    """

    rule: str
    error_type: ErrorType
    sentences: int
    answers: int
    share: float


def count_rules(
    passages: Sequence[Passage], *, seed: int = 0, langs: Sequence[str] = ("en", "zh")
) -> tuple[RuleCount, ...]:
    """How many answers each rule makes of these passages, by type, the most first; see ``inject`` for the arguments."""
    rng = Random(f"guardrail stress {seed}")  # noqa: S311  a test has to be repeatable, not secret
    corpus = read_corpus(passages, langs)
    offered, drawn = Counter[tuple[ErrorType, str]](), Counter[tuple[ErrorType, str]]()
    for place in corpus.places:
        found = changes(place.text, rng, others=corpus.others(place))
        offered.update({(change.kind, change.rule) for change in found})
        drawn.update((change.kind, change.rule) for change in _one_of_each(found, rng))
    of_type = Counter[ErrorType]()
    for (kind, _), count in drawn.items():
        of_type[kind] += count
    order = sorted(offered, key=lambda key: (list(ErrorType).index(key[0]), -drawn[key], key[1]))
    return tuple(
        RuleCount(
            rule=rule,
            error_type=kind,
            sentences=offered[kind, rule],
            answers=drawn[kind, rule],
            share=drawn[kind, rule] / of_type[kind],
        )
        for kind, rule in order
    )


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
