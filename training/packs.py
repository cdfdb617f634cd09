"""Packs: a premise and all claims that are read with it at once, as the larger reader is trained and run.

A reader of packs encodes the premise once; each claim sees the premise and itself, never another claim.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from guardrail.evaluation.stress import right_versions, wrong_versions
from guardrail.text.language import may_be_english
from guardrail.text.passages import sentences
from guardrail.types import ErrorType
from training import mixture
from training.cases import case_pairs, cases
from training.contrast import contrast_group, contrast_sets, least_shown
from training.elementary import elementary_pairs
from training.pairs import (
    CONTRADICTED,
    NEUTRAL,
    NOT_SUPPORTED,
    REFUTING,
    SUPPORTED,
    Pair,
    human_pairs,
    join,
    one_of_a_kind,
    parts_of,
    written_records,
)
from training.places import IDEOGRAM
from training.swaps import swapped

LONG = mixture.LONG | {"check_covid"}

FIRST = {"cases": 0, "places": 0, "contrast": 60, "short": 700, "records": 4, "long": 0, "frames": 20, "extra": 400}
LATER = {
    "cases": 70,
    "places": 160,
    "contrast": 140,
    "short": 220,
    "records": 40,
    "long": 24,
    "frames": 40,
    "extra": 350,
}
"""Cases, stretches of passages whose sentences have swapped twins, contrast sets, rows, records, rows, pairs, rows of a
further folder in a round; cases, stretches and contrast sets in English."""

FIRST_ROUNDS = 6
"""Rounds of the first kind: without many plain pairs first, new weights learn nothing."""

OTHERS = 3.0
"""How much oftener a record of another language than English is shown: there are few."""

ABROAD = {"cases": 60, "contrast": 45, "places": 70}
"""Cases, contrast sets and stretches in other languages in a round after the first ones, where such are wanted; the
English ones are half as many there."""

CLAIMS = 12
"""Most claims of one pack, but for swapped twins."""

SWAPS = 0.6
"""Chance that a true claim has a swapped twin beside it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its label (training.pairs) and, where known, its error type."""

    text: str
    label: int
    error: ErrorType | None = None


@dataclass(frozen=True, slots=True)
class Pack:
    """One input of the reader; claims next to each other may be twins, one true and one false."""

    premise: str
    claims: tuple[Claim, ...]
    source: str

    def __len__(self) -> int:
        """A measure of its cost: characters, of which a Chinese one has as many tokens as three Latin ones."""
        text = "".join([self.premise, *(claim.text for claim in self.claims)])
        return len(text) + 2 * len(IDEOGRAM.findall(text)) + 6 * len(self.claims)


def packed(pairs: Sequence[Pair]) -> list[Pack]:
    """Pairs with the same premise together."""
    by_premise: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_premise[pair.premise].append(pair)
    return [
        Pack(premise, tuple(Claim(p.claim, p.label, p.error) for p in group[start : start + CLAIMS]), group[0].source)
        for premise, group in by_premise.items()
        for start in range(0, len(group), CLAIMS)
    ]


def rounds(
    data: Path,
    rng: random.Random,
    *,
    warmed: bool,
    langs: tuple[str, ...] = ("en",),
    extra: Path | None = None,
) -> Iterator[list[Pack]]:
    """Rounds without end; of other languages than English cases, contrast sets and records, the last more often.

    Files of the further folder take turns by the root of their size.
    """
    further = [packed([pair for group in groups for pair in group]) for groups in mixture.extra_pairs(extra).values()]
    weighed = [len(packs) ** 0.5 for packs in further]
    short = packed(mixture.short_pairs(data, rng))
    long = packed(human_pairs(data, rng, 1.0, sets=LONG))
    rng.shuffle(short)
    records = written_records(data, held=False, langs=langs)
    shares = {"balanced": 1.0, "field": 1.0, "own": 0.6, "given": 0.25}
    weights = [shares[record["set"]] * (1 if record["lang"] == "en" else OTHERS) for record in records]
    sets, known_cases = contrast_sets(held=False), cases(held=False)
    abroad = tuple(lang for lang in langs if lang != "en")
    sets_abroad, cases_abroad = contrast_sets(held=False, langs=abroad), cases(held=False, langs=abroad)
    seen: Counter[str] = Counter()
    shown_cases: Counter[str] = Counter()
    texts = [p["text"] for row in known_cases for p in row["passages"]] + [row["p"] for row in sets]
    texts_abroad = [p["text"] for row in cases_abroad for p in row["passages"]]
    at = 0
    for number in count(FIRST_ROUNDS if warmed else 0):
        counts = dict(FIRST if number < FIRST_ROUNDS else LATER)
        beside = dict.fromkeys(ABROAD, 0)
        if abroad and counts["cases"]:
            beside = ABROAD
            counts |= {kind: counts[kind] // 2 for kind in ("cases", "contrast", "places")}
        chosen = least_shown(sets, seen, counts["contrast"], rng)
        made = [pack for row in chosen for pack in packed(contrast_group(row, rng, sets))]
        for row in least_shown(known_cases, shown_cases, counts["cases"], rng, key="id"):
            made += packed(list(case_pairs(row, rng)))
        made = [with_swaps(pack, rng) for pack in made]
        made += [
            pack for text in rng.sample(texts, min(len(texts), counts["places"])) for pack in swapped_packs(text, rng)
        ]
        for row in least_shown(sets_abroad, seen, beside["contrast"], rng):
            made += packed(contrast_group(row, rng, sets_abroad))
        for row in least_shown(cases_abroad, shown_cases, beside["cases"], rng, key="id"):
            made += [with_swaps(pack, rng) for pack in packed(list(case_pairs(row, rng)))]
        for text in rng.sample(texts_abroad, min(len(texts_abroad), beside["places"])):
            made += swapped_packs(text, rng)
        made += short[at : at + counts["short"]] + rng.sample(long, counts["long"])
        at = (at + counts["short"]) % max(1, len(short) - counts["short"])
        for record in rng.choices(records, weights, k=counts["records"]):
            made += [with_swaps(pack, rng) if record["lang"] == "en" else pack for pack in record_packs(record, rng)]
        if further:
            made += [rng.choice(packs) for packs in rng.choices(further, weighed, k=counts["extra"])]
        frames = list(elementary_pairs(rng, counts["frames"]))
        made += [pack for start in range(0, len(frames), 2) for pack in packed(frames[start : start + 2])]
        yield made


def with_swaps(pack: Pack, rng: random.Random) -> Pack:
    """The pack with a second false twin before some of its true claims."""
    claims: list[Claim] = []
    for claim in pack.claims:
        if claim.label == SUPPORTED and rng.random() < SWAPS:
            made = swapped(claim.text, [pack.premise], rng)
            claims += [Claim(made, NOT_SUPPORTED)] if made else []
        claims.append(claim)
    return replace(pack, claims=tuple(claims))


def swapped_packs(passage: str, rng: random.Random) -> Iterator[Pack]:
    """A stretch of a passage, sentences of it, as they stand or reworded by rule, and the same with a swap."""
    parts = [sentence.text for sentence in sentences(passage)]
    start = rng.randrange(max(1, len(parts) - 2))
    parts = parts[start : start + rng.choice((2, 3, 4, 6))]
    claims: list[Claim] = []
    for index in rng.sample(range(len(parts)), min(len(parts), CLAIMS // 2)):
        reworded = rng.random() < 0.6 and may_be_english(passage)
        versions = right_versions(parts[index], rng, others=parts) if reworded else []
        right = rng.choice(versions) if versions else parts[index]
        wrong = swapped(right, parts, rng)
        if wrong is not None:
            claims += [Claim(right, SUPPORTED), Claim(wrong, NOT_SUPPORTED)]
    if claims:
        yield Pack(("" if IDEOGRAM.search(passage) else " ").join(parts), tuple(claims), "places")


def record_packs(record: dict[str, Any], rng: random.Random) -> Iterator[Pack]:
    """A written record with one view of its passages, its claims, and claims that stay close to its sentences."""
    sentences: list[str] = record["sentences"]
    everything = set(range(len(sentences)))
    parts = [set(part) for part in parts_of(record)]
    view = everything if len(parts) == 1 or rng.random() < 0.5 else rng.choice(parts)
    if rng.random() < 0.15:  # a sentence is missing: what needed it is no longer said
        view = view - {rng.choice(sorted(view))}
    text = join([sentences[i] for i in sorted(view)], record["lang"])
    if rng.random() < 0.3 and record["title"] not in text:
        text = f"{record['title']}: {text}"
    supported: list[dict[str, Any]] = record["supported"]
    claims = [Claim(c["c"], SUPPORTED if set(c["e"]) <= view else NOT_SUPPORTED) for c in supported]
    for claim in record["unsupported"]:
        twin = claim["p"]
        needed = set(supported[twin]["e"]) if twin is not None and twin < len(supported) else everything
        exact = CONTRADICTED if claim["v"] == "contradicted" else NEUTRAL
        claims.append(Claim(claim["c"], exact if needed <= view else NOT_SUPPORTED, ErrorType(claim["t"])))
    claims += _close(record, view, rng)
    rng.shuffle(claims)
    yield Pack(text, tuple(claims[: CLAIMS // 2 if record["set"] == "given" else CLAIMS]), record["set"])


def _close(record: dict[str, Any], view: set[int], rng: random.Random) -> Iterator[Claim]:
    """Claims close to the passage, true and false: else wording would give the labels of many records away."""
    if record["lang"] != "en":
        return
    sentences: list[str] = record["sentences"]
    wanted = 4 if record["set"] in ("field", "given") else 2
    for index in rng.sample(sorted(view), min(wanted, len(view))):
        right = right_versions(sentences[index], rng, others=sentences)
        yield Claim(rng.choice(right) if right and rng.random() < 0.7 else sentences[index], SUPPORTED)
    for index in rng.sample(sorted(view), min(wanted // 2, len(view))):
        others = sentences[:index] + sentences[index + 1 :]
        made = one_of_a_kind(wrong_versions(sentences[index], rng, others=others), rng)
        if made is not None:
            yield Claim(made[1], CONTRADICTED if made[0] in REFUTING else NOT_SUPPORTED, made[0])
