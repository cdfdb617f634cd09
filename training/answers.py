"""Labelled answers from the held-out fold, to fit the scorer on: single claims, composed answers, human-labelled rows.

Whatever the weights saw is not among them (training/pairs.py), nor is anything of a dev or bench set.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.stress import inject
from guardrail.types import Passage, Verdict
from training.cases import cases
from training.contrast import contrast_sets
from training.elementary import elementary_pairs
from training.pairs import SOURCES, SUPPORTED, held_out, human_files, join, parts_of, read_rows, written_records

LABELLED_SETS = ("factcg_cg2c_synth",)
"""Sets whose evidence looks like retrieved passages and whose labels word overlap does not give away.

Dialogue (BEGIN), old summarisers (FRANK, BUMP) and tables (infotabs) teach the scorer to trust overlap, or the gate,
more than answers deserve.
"""

ANSWERS = Path(__file__).parent / "written" / "answers"

LENGTHS = (1, 1, 2, 3, 4, 5)
"""Claims in a composed answer, drawn evenly."""

FAR = 3
"""Passages of other records beside a record's own, as a retriever brings them."""


def written_answers(data: Path, rng: random.Random, langs: tuple[str, ...] = ("en",)) -> Iterator[LabelledAnswer]:
    """Answers of one to five claims of a held-out record; half of them hold one false claim or lack their evidence."""
    records = written_records(data, held=True, langs=langs)
    for record in records:
        others = [r for r in records if r is not record and r["lang"] == record["lang"]]
        for number, wanted in enumerate(LENGTHS * 2):
            length = min(wanted, len(record["supported"]) - 1)
            wrong = number % 2 == 1
            false = rng.choice(record["unsupported"]) if wrong else None
            usable = [c for n, c in enumerate(record["supported"]) if false is None or n != false["p"]]
            chosen: list[dict[str, Any]] = rng.sample(usable, length)
            gone: set[int] = set()
            if false is not None:
                if rng.random() < 0.12:  # the passages came back without what one claim needs
                    gone = set(chosen[0]["e"])
                else:
                    chosen[rng.randrange(length)] = false
            passages = _retrieved(record, gone, others, rng)
            if not passages:
                continue
            yield LabelledAnswer(
                id=f"{record['id']}-{number}",
                answer=join([c["c"] for c in chosen], record["lang"]),
                passages=passages,
                label=Verdict.UNSUPPORTED if wrong else Verdict.SUPPORTED,
                question=record.get("question"),
                dataset=f"{SOURCES[record['set']]} {'claims' if length == 1 else 'answers'}",
                group=record["id"],
            )


def injected_answers(data: Path, rng: random.Random) -> Iterator[LabelledAnswer]:
    """Answers close to the passages of held-out records, some of them with an injected error."""
    records = written_records(data, held=True)
    for record in records:
        others = [r for r in records if r is not record]
        passages = _retrieved(record, set(), others, rng)
        own = [p for p in passages if p.title == record["title"]]
        made = list(inject(own, seed=rng.randrange(1 << 30), per_type=1))
        right = [a for a in made if a.supported]
        wrong = [a for a in made if not a.supported]
        for answer in [*rng.sample(right, min(3, len(right))), *rng.sample(wrong, min(3, len(wrong)))]:
            yield LabelledAnswer(
                id=f"{record['id']}-{answer.id}",
                answer=answer.answer,
                passages=passages,
                label=answer.label,
                error_type=answer.error_type,
                dataset="injected",
                group=record["id"],
            )


def contrast_answers(rng: random.Random, lang: str = "en") -> Iterator[LabelledAnswer]:
    """One to three claims of held-out contrast sets among passages of others; half of the answers hold a false one."""
    sets = contrast_sets(held=True, langs=(lang,))
    for number, row in enumerate(sets):
        for turn, (true, false) in enumerate(zip(row["t"], row["f"], strict=True)):
            for wrong in (False, True):
                beside = rng.sample(sets, min(FAR + 1, len(sets)))
                beside = [other for other in beside if other is not row]
                more = [rng.choice(other["t"]) for other in beside if "q" not in other][: rng.choice((0, 0, 1, 2))]
                claims = [false if wrong else true, *more]
                passages = [Passage(text=each["p"]) for each in (row, *beside)]
                rng.shuffle(passages)
                yield LabelledAnswer(
                    id=f"contrast-{lang}-{number}-{turn}-{wrong}",
                    answer=join(claims, lang),
                    passages=_numbered(passages),
                    label=Verdict.UNSUPPORTED if wrong else Verdict.SUPPORTED,
                    question=row.get("q"),
                    dataset="contrast claims" if len(claims) == 1 else "contrast answers",
                    group=f"contrast-{lang}-{number}",
                )


def elementary_answers(rng: random.Random, count: int) -> Iterator[LabelledAnswer]:
    """Elementary pairs of frames that the weights never saw, each a passage and an answer of one claim."""
    for number, pair in enumerate(elementary_pairs(rng, count, held=True)):
        yield LabelledAnswer(
            id=f"elementary-{number}",
            answer=pair.claim,
            passages=(Passage(id="1", text=pair.premise),),
            label=Verdict.SUPPORTED if pair.label == SUPPORTED else Verdict.UNSUPPORTED,
            dataset="elementary",
            group=pair.group,
        )


def labelled_answers(data: Path) -> Iterator[LabelledAnswer]:
    """Held-out rows of LABELLED_SETS."""
    for path in human_files(data):
        if not path.name.startswith(LABELLED_SETS):
            continue
        for row in read_rows(path):
            if held_out(f"{row['dataset']}:{row['group']}"):
                yield LabelledAnswer(
                    id=row["id"],
                    answer=row["text"],
                    passages=_numbered([Passage(text=text) for text in row["passages"]]),
                    label=Verdict(row["label"]),
                    dataset=row["dataset"],
                    group=row["group"],
                )


@dataclass(frozen=True, slots=True)
class SentenceLabels:
    """A realistic answer whose sentences are labelled one by one."""

    answer: LabelledAnswer
    labels: tuple[tuple[str, str], ...]

    def label(self, text: str) -> bool | None:
        """Whether a stretch of the answer is right; None where no label asks for a judgement.

        A stretch over several sentences is wrong where one of them is.
        """
        met = [label for sentence, label in self.labels if sentence in text or text in sentence]
        asked = [label for label in met if label != "not_checkworthy"]
        return all(label == "supported" for label in asked) if asked else None


def realistic_answers() -> Iterator[SentenceLabels]:
    """Answers as chat models write them, in training/written/answers."""
    for path in sorted(ANSWERS.glob("*.jsonl")):
        for row in read_rows(path):
            labels = tuple((gold["sentence"], gold["label"]) for gold in row["gold"])
            wrong = any(label in ("contradicted", "unsupported") for _, label in labels)
            answer = LabelledAnswer(
                id=row["id"],
                answer=row["answer"],
                passages=tuple(Passage(id=p["id"], text=p["text"], title=p["title"]) for p in row["passages"]),
                label=Verdict.UNSUPPORTED if wrong else Verdict.SUPPORTED,
                question=row["question"],
                dataset=f"realistic {path.stem}",
                group=row["id"],
            )
            yield SentenceLabels(answer, labels)


def case_answers(langs: tuple[str, ...] = ("en",)) -> Iterator[SentenceLabels]:
    """An answer of each held-out case: every other sentence is the false twin, by turns the even and the odd ones."""
    for first, row in enumerate(cases(held=True, langs=langs)):
        passages = _numbered([Passage(text=p["text"], title=p["title"]) for p in row["passages"]])
        sides = ["wrong" if (number + first) % 2 else "right" for number in range(len(row["sentences"]))]
        told = [twins[side] for twins, side in zip(row["sentences"], sides, strict=True)]
        answer = LabelledAnswer(
            id=row["id"],
            answer="\n".join(told),
            passages=passages,
            label=Verdict.UNSUPPORTED,
            question=row["question"],
            dataset="cases",
            group=row["id"],
        )
        labels = tuple(
            (text, "supported" if side == "right" else "unsupported") for text, side in zip(told, sides, strict=True)
        )
        yield SentenceLabels(answer, labels)


def _retrieved(
    record: dict[str, Any], gone: set[int], others: list[dict[str, Any]], rng: random.Random
) -> tuple[Passage, ...]:
    """The record's passages without the sentences ``gone``, among passages of other records."""
    lang = record.get("passages_lang", record["lang"])
    texts = [join([record["sentences"][i] for i in part if i not in gone], lang) for part in parts_of(record)]
    own = [Passage(text=text, title=record["title"]) for text in texts if text]
    if not own:
        return ()
    picked = rng.sample(others, min(FAR, len(others)))
    far = [
        Passage(text=join(r["sentences"][: rng.randint(3, 8)], r.get("passages_lang", r["lang"])), title=r["title"])
        for r in picked
    ]
    passages = own + far
    rng.shuffle(passages)
    return _numbered(passages)


def _numbered(passages: list[Passage]) -> tuple[Passage, ...]:
    return tuple(Passage(id=str(n), text=p.text, title=p.title) for n, p in enumerate(passages, 1))
