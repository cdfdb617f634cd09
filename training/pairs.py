"""Training pairs from the labelled rows: (premise, claim, label), several views of the evidence for each claim.

A view is one way in which the running guard may show evidence to the model: the needed sentences with a few others,
the sentences that word overlap would pick, or a whole passage. Fold borders run between records, never inside one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from guardrail.evaluation.stress import right_versions, wrong_versions
from guardrail.text.words import Overlap, content_words
from guardrail.types import ErrorType

SUPPORTED, CONTRADICTED, NEUTRAL, NOT_SUPPORTED = range(4)
"""Labels; NOT_SUPPORTED = contradicted or neutral, the source does not say which (the loss adds both up)."""

HELD_OUT = 0.08
"""Share of records kept away from the weights, for the scorer and for early figures."""

THREE_WAY = {"snli", "mnli_dev_matched", "cad_nli", "infotabs", "check_covid", "folio"}
"""Human-labelled sets whose "unsupported" means neutral; the other sets only tell supported from the rest."""

SKIPPED = {"wice", "frank__summaries"}
"""Claims of many sentences against very long documents: a window would not hold the evidence that the label needs."""

BALANCED = {"reserve.jsonl", "neighbour.jsonl", "figures.jsonl"}
"""Files in which true and false claims are equally close to the passages, and reworded equally often."""

MAX_PREMISE_WORDS = 190
CLOSE_PAIRS = 2
"""True claims per written record that stay close to a sentence of it (guardrail.evaluation.stress)."""

SOURCES = {"balanced": "balanced", "field": "field", "own": "written", "given": "written"}
"""Source of a pair by the set of its record."""

INJECTED = 1
"""Sentences per written record into which an error is injected; more of them teach little once they are learned."""

REFUTING = frozenset({ErrorType.CONTRADICTION, ErrorType.ENTITY_INVERSION})
"""Injected errors of these types contradict the sentence they come from; others may be merely unsupported."""

UNEVEN = frozenset({ErrorType.CONFLATION})
"""Types whose injected versions do not read as an answer would."""


MakePair = Callable[..., "Pair"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One model input with its label; ``group`` names the record or document it was made from."""

    premise: str
    claim: str
    label: int
    source: str
    group: str
    error: ErrorType | None = None


def held_out(group: str) -> bool:
    """Whether this record belongs to the fold that the weights never see (stable across runs and machines)."""
    return int(hashlib.sha256(group.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF < HELD_OUT


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a (gzipped) JSONL file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def join(sentences: list[str], lang: str) -> str:
    """Sentences as running text; Chinese needs no space between them."""
    return ("" if lang == "zh" else " ").join(sentences)


def parts_of(record: dict[str, Any]) -> list[list[int]]:
    """Sentence numbers of each passage of a written record."""
    single = [record["split"]] if record.get("split") else []
    cuts = [0, *(record.get("splits") or single), len(record["sentences"])]
    return [list(range(a, b)) for a, b in pairwise(cuts)]


# -- written records ---------------------------------------------------------------------------------------------


def written_pairs(record: dict[str, Any], rng: random.Random, others: list[str]) -> Iterator[Pair]:
    """One random view of every claim in a written record, plus claims whose evidence was taken away."""
    sentences: list[str] = record["sentences"]
    overlap = Overlap(content_words(s) for s in sentences)
    supported: list[dict[str, Any]] = record["supported"]

    def pair(indices: set[int], claim: str, label: int, error: ErrorType | None = None, source: str = "") -> Pair:
        source = source or SOURCES[record["set"]]
        text = join([sentences[i] for i in sorted(indices)], record["lang"])
        if rng.random() < 0.3 and record["title"] not in text:
            text = f"{record['title']}: {text}"
        return Pair(text, claim, label, source, record["id"], error)

    for claim in supported:
        yield pair(_view(claim["c"], set(claim["e"]), overlap, parts_of(record), rng), claim["c"], SUPPORTED)
        if rng.random() < (0.6 if record["set"] == "field" else 0.35):
            left = set(range(len(sentences))) - set(claim["e"])
            near = set(overlap.rank(content_words(claim["c"]), sorted(left), rng.choice((1, 2, 3, 9))))
            if near:
                # Missing one of several needed sentences: the rest may still refute, so the exact kind is unknown.
                yield pair(near, claim["c"], NEUTRAL if len(claim["e"]) == 1 else NOT_SUPPORTED)
        if rng.random() < 0.06 and others:
            yield Pair(rng.choice(others), claim["c"], NEUTRAL, "written", record["id"])
        elsewhere = [part for part in parts_of(record) if not set(part) & set(claim["e"])]
        if elsewhere and rng.random() < 0.15:  # the passage about the similar thing
            yield pair(set(rng.choice(elsewhere)), claim["c"], NOT_SUPPORTED)

    for claim in record["unsupported"]:
        source = claim["p"]
        needed = set(supported[source]["e"]) if source is not None and source < len(supported) else None
        if needed is None:
            needed = set(overlap.rank(content_words(claim["c"]), range(len(sentences)), 2)) or {0}
        view = _view(claim["c"], needed, overlap, parts_of(record), rng)
        yield pair(view, claim["c"], CONTRADICTED if claim["v"] == "contradicted" else NEUTRAL, ErrorType(claim["t"]))

    if len(supported) > 1 and rng.random() < 0.5:
        yield _joined(record, rng)
    if record["lang"] == "en":
        yield from _close_pairs(record, rng, pair)


def _close_pairs(record: dict[str, Any], rng: random.Random, pair: MakePair) -> Iterator[Pair]:
    """Claims that stay close to the passage, as answers do: true ones, false ones, and ones whose sentence is gone.

    Half of the sentences are those that false claims were made from, so that the same wording is met true and false.
    """
    sentences: list[str] = record["sentences"]
    overlap = Overlap(content_words(s) for s in sentences)
    everything = set(range(len(sentences)))
    twins = [i for c in record["unsupported"] for i in overlap.rank(content_words(c["c"]), range(len(sentences)), 1)]
    wanted = 2 * CLOSE_PAIRS if record["set"] == "field" else CLOSE_PAIRS  # their own true claims are all reworded
    chosen = rng.sample(twins, min(wanted // 2, len(twins)))
    chosen += rng.sample(range(len(sentences)), min(wanted - len(chosen), len(sentences)))
    for index in chosen:
        claim = _kept(sentences[index], rng, sentences)
        if index + 1 < len(sentences) and rng.random() < 0.2:
            claim, view = f"{claim} {_kept(sentences[index + 1], rng, sentences)}", everything
        else:
            view = _view(claim, {index}, overlap, parts_of(record), rng)
        yield pair(view, claim, SUPPORTED, None, "close")
    for index in rng.sample(range(len(sentences)), min(INJECTED, len(sentences))):
        others = sentences[:index] + sentences[index + 1 :]
        made = one_of_a_kind(wrong_versions(sentences[index], rng, others=others), rng)
        if made is not None:
            view = _view(made[1], {index}, overlap, parts_of(record), rng)
            yield pair(view, made[1], CONTRADICTED if made[0] in REFUTING else NOT_SUPPORTED, made[0], "close")
    gone = rng.randrange(len(sentences))
    yield pair(everything - {gone}, _kept(sentences[gone], rng, sentences), NOT_SUPPORTED, None, "close")


def _kept(sentence: str, rng: random.Random, others: list[str]) -> str:
    """The sentence in a wording that keeps it true; one time in five as it is."""
    right = right_versions(sentence, rng, others=others) if rng.random() < 0.8 else []
    return rng.choice(right) if right else sentence


def one_of_a_kind(made: Sequence[tuple[ErrorType, str]], rng: random.Random) -> tuple[ErrorType, str] | None:
    """One wrong version, all error types alike likely: else numbers and added clauses would outnumber the rest."""
    kinds = sorted({kind for kind, _ in made} - UNEVEN)
    if not kinds:
        return None
    kind = rng.choice(kinds)
    return rng.choice([version for version in made if version[0] is kind])


def _view(claim: str, needed: set[int], overlap: Overlap, parts: list[list[int]], rng: random.Random) -> set[int]:
    """Sentence numbers to show: needed ones among others, as a window or the joint view of the engine would."""
    total = parts[-1][-1] + 1
    kind = rng.random()
    if kind < 0.40:  # the whole passage that has it, or all of them where it takes several
        return next((set(part) for part in parts if needed <= set(part)), set(range(total)))
    if kind < 0.65:  # what word overlap would pick, as the running guard does, if it holds the evidence
        picked = set(overlap.rank(content_words(claim), range(total), 3))
        if needed <= picked:
            return picked
    rest = [i for i in range(total) if i not in needed]
    return needed | set(rng.sample(rest, min(rng.choice((0, 0, 1, 2)), len(rest))))


def _joined(record: dict[str, Any], rng: random.Random) -> Pair:
    """Two claims as one segment of an answer; one false part makes the whole unsupported."""
    first, second = rng.sample(record["supported"], 2)
    label = SUPPORTED
    claims = [first["c"], second["c"]]
    if rng.random() < 0.5:
        wrong = rng.choice(record["unsupported"])
        claims[rng.randrange(2)] = wrong["c"]
        label = NOT_SUPPORTED
    return Pair(join(record["sentences"], record["lang"]), join(claims, record["lang"]), label, "written", record["id"])


# -- human-labelled rows -----------------------------------------------------------------------------------------

_LABELS = {"supported": SUPPORTED, "contradicted": CONTRADICTED, "unsupported": NEUTRAL}


def human_pair(row: dict[str, Any]) -> Pair | None:
    """The row as one pair; long documents are cut to the stretch that covers the claim best."""
    dataset: str = row["dataset"]
    if dataset == "bump":
        return _edited_sentence(row)
    label = _LABELS[row["label"]]
    if label == NEUTRAL and dataset not in THREE_WAY:
        label = NOT_SUPPORTED
    premise = best_stretch(" ".join(row["passages"]), row["text"])
    return Pair(premise, row["text"], label, dataset, f"{dataset}:{row['group']}")


def _edited_sentence(row: dict[str, Any]) -> Pair | None:
    """Of a summary the sentence that was edited (wrong), or the first one of an unedited summary (right)."""
    wrong = row["label"] != "supported"
    if wrong and not row["spans"]:
        return None
    at = row["spans"][0][0] if wrong else 0
    bounds = [0, *(m.end() for m in re.finditer(r"[.!?] (?=[A-Z0-9])", row["text"])), len(row["text"])]
    start, end = next((a, b) for a, b in pairwise(bounds) if a <= at < b or b == bounds[-1])
    claim = row["text"][start:end].replace(" .", ".").replace(" ,", ",").strip()
    premise = best_stretch(" ".join(row["passages"]), claim)
    return Pair(premise, claim, NOT_SUPPORTED if wrong else SUPPORTED, "bump", f"bump:{row['group']}")


def best_stretch(text: str, claim: str, words: int = MAX_PREMISE_WORDS) -> str:
    """The run of at most ``words`` words, cut at sentence ends, with the best overlap with the claim."""
    if len(text.split()) <= words:
        return text
    sentences = re.split(r"(?<=[.!?])\s+", text)
    lengths = [len(s.split()) for s in sentences]
    overlap = Overlap(content_words(s) for s in sentences)
    wanted = content_words(claim)
    best, best_cover = (0, 1), -1.0
    end = 0
    for start in range(len(sentences)):
        end = max(end, start + 1)
        while end < len(sentences) and sum(lengths[start : end + 1]) <= words:
            end += 1
        cover = overlap.coverage(wanted, range(start, end))
        if cover > best_cover:
            best, best_cover = (start, end), cover
    return " ".join(" ".join(sentences[best[0] : best[1]]).split()[:words])


# -- folds and epochs --------------------------------------------------------------------------------------------


def human_files(data: Path) -> list[Path]:
    """Openly licensed, human-labelled files of the training folder."""
    files = sorted((data / "train").glob("*.jsonl*"))
    return [f for f in files if not any(f.name.startswith(name) for name in SKIPPED)]


def written_records(data: Path, *, held: bool, langs: tuple[str, ...] = ("en",)) -> list[dict[str, Any]]:
    """Written records of one fold; ``set`` says how their claims are worded (training/epochs.py, VIEWS)."""
    own = sorted((Path(__file__).parent / "written").glob("*.jsonl"))
    given = sorted((data / "train" / "written").glob("*.jsonl*"))
    rows = [{**record, "set": _set_of(path, own)} for path in (*given, *own) for record in read_rows(path)]
    return [record for record in rows if record["lang"] in langs and held_out(record["id"]) == held]


def _set_of(path: Path, own: Sequence[Path]) -> str:
    if path in own:
        return "balanced" if path.name in BALANCED else "own"
    return "field" if path.name.startswith("field_") else "given"


def human_pairs(
    data: Path,
    rng: random.Random,
    share: float,
    *,
    held: bool = False,
    langs: tuple[str, ...] = ("en",),
    sets: set[str] | None = None,
) -> list[Pair]:
    """A random share (0..1) of the human-labelled rows of one fold, of all sets or the named ones, shuffled."""
    pairs: list[Pair] = []
    for path in human_files(data):
        for row in read_rows(path):
            if row["lang"] not in langs or (sets is not None and row["dataset"] not in sets) or rng.random() >= share:
                continue
            pair = human_pair(row)
            if pair is not None and held_out(pair.group) == held:
                pairs.append(pair)
    rng.shuffle(pairs)
    return pairs
