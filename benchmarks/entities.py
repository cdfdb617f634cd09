"""Figures of the namesake stage: ``python benchmarks/entities.py --data DIR``.

Words alone decide, as in a check where no cell was read; ``--engine local`` lets the local engine fill the matrix. The
sentences are the labelled ones in both. The category of an answer is D-FActScore's (section 2.4).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from guardrail.check.contract import LINKINGS, Engine, Linking, VerifyRequest
from guardrail.check.decompose import decompose
from guardrail.check.entities import Mix, biographies, cluster, group, link, mixed
from guardrail.engines.local.engine import LocalEngine
from guardrail.types import EntityGroup, Passage, Row, Segment, Span, SupportMatrix

Item = dict[str, Any]


def load(path: Path) -> list[Item]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def passages_of(item: Item) -> list[Passage]:
    return [Passage(id=str(one["id"]), title=one.get("title"), text=one["text"]) for one in item["passages"]]


def segments_of(item: Item) -> list[Segment]:
    return [
        Segment(
            id=f"s{number}",
            span=Span(one["start"], one["end"]),
            text=re.sub(r"\s*\[\d+\]", "", item["answer"][one["start"] : one["end"]]),
        )
        for number, one in enumerate(item["sentences"])
    ]


@dataclass(frozen=True, slots=True)
class Analysis:
    groups: tuple[EntityGroup, ...]
    mixes: tuple[Mix, ...]
    entities: int
    category: str | None


def analyse(item: Item, engine: Engine | None, assignment: Linking) -> Analysis:
    passages, segments = tuple(passages_of(item)), tuple(segments_of(item))
    abstained = decompose(item["answer"], question=item["question"]).abstained
    entities = cluster(passages)
    everything = tuple((one.id, tuple(range(len(passages)))) for one in segments)
    blank = SupportMatrix(rows=tuple(Row(segment_id=one.id, cells=(None,) * len(passages)) for one in segments))
    request = VerifyRequest(segments=segments, passages=passages, must_read=everything)
    matrix = blank if engine is None else engine.verify(request)
    found = group(segments, item["answer"], entities)
    groups = link(found, entities, matrix, segments, passages, assignment=assignment)
    mixes = mixed(groups, entities, matrix, segments, passages)
    total, category = biographies(groups, entities, mixes, (), threshold=0.5)
    return Analysis(groups, mixes, total, "no_bio" if abstained else category)


def best_match(gold: list[int], found: list[str]) -> dict[str, int]:
    """One-to-one map from found to gold groups that keeps most sentences."""
    ours, theirs = sorted(set(found)), sorted(set(gold))
    padded = theirs + [-1 - n for n in range(max(0, len(ours) - len(theirs)))]
    maps = (dict(zip(ours, order, strict=False)) for order in permutations(padded, len(ours)))
    return max(maps, key=lambda to: sum(to[f] == g for f, g in zip(found, gold, strict=True)))


def f1(pairs: list[tuple[bool, bool]]) -> tuple[float, float, float]:
    hits = sum(found and gold for found, gold in pairs)
    precision = hits / max(1, sum(found for found, _ in pairs))
    recall = hits / max(1, sum(gold for _, gold in pairs))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with bench/entity_dev.jsonl")
    parser.add_argument("--engine", choices=("none", "local"), default="none")
    parser.add_argument("--linking", choices=LINKINGS, default="argmax")
    parser.add_argument("--errors", action="store_true", help="list the ids of wrong items")
    args = parser.parse_args()
    items = load(args.data / "bench" / "entity_dev.jsonl")
    pairs: list[tuple[bool, bool]] = []
    sentence_pairs: list[tuple[bool, bool]] = []
    right = total = linked = links = bios = ents = linked_ents = 0
    wrong: list[str] = []
    categories: list[tuple[str | None, str]] = []
    engine = LocalEngine() if args.engine == "local" else None
    for item in items:
        found_out = analyse(item, engine, args.linking)
        groups, mixes = found_out.groups, found_out.mixes
        categories.append((found_out.category, item["category"]))
        pairs.append((bool(mixes), item["mixed"]))
        of = {segment: one for one in groups for segment in one.segments}
        rows = [(one["group"], of[f"s{n}"].id) for n, one in enumerate(item["sentences"]) if one["group"]]
        gold, found = [g for g, _ in rows], [f for _, f in rows]
        to = best_match(gold, found) if rows else {}
        good = sum(to[f] == g for g, f in rows)
        right, total = right + good, total + len(rows)
        mixed_ids = {mix.segment_id for mix in mixes}
        for n, one in enumerate(item["sentences"]):
            home = item["entity_of_group"].get(str(one["group"]))
            if one["group"] and one["title"] and home:
                sentence_pairs.append((f"s{n}" in mixed_ids, one["title"] != home))
        named = [one for one in groups if one.name]
        missed = 0
        for number, title in item["entity_of_group"].items():
            mine = next((one for one in groups if to.get(one.id) == int(number)), None)
            hit = mine is not None and mine.entity is not None and mine.entity.title == title
            linked, links, missed = linked + hit, links + 1, missed + (not hit)
        bios += abs(len(named) - item["n_bios"])
        drawn_on = {one["title"] for one in item["sentences"] if one["title"] and one["group"]}
        ents += abs(found_out.entities - len(drawn_on))
        linked_ents += abs(len({one.entity.id for one in named if one.entity}) - len(drawn_on))
        flags = [
            pairs[-1][0] != pairs[-1][1] and f"mixed={item['mixed']}",
            good < len(rows) and f"group {good}/{len(rows)}",
        ]
        flags.append(missed and f"link -{missed}")
        flags.append(found_out.category != item["category"] and f"{found_out.category}, not {item['category']}")
        if any(flags):
            wrong.append(f"{item['id']}: " + ", ".join(str(flag) for flag in flags if flag))
    precision, recall, score = f1(pairs)
    print(f"{len(items)} answers")
    print(f"mixed (answer)     precision {precision:.3f}  recall {recall:.3f}  F1 {score:.3f}")
    precision, recall, score = f1(sentence_pairs)
    print(f"mixed (sentence)   precision {precision:.3f}  recall {recall:.3f}  F1 {score:.3f}")
    print(f"grouping           {right / max(1, total):.3f} of {total} sentences")
    print(f"linked title       {linked / max(1, links):.3f} of {links} groups")
    off = f"#bios {bios / len(items):.3f}  #entities {ents / len(items):.3f}"
    print(f"mean abs. error    {off}  (linked ones only {linked_ents / len(items):.3f})")
    print(f"category           {sum(ours == gold for ours, gold in categories) / len(items):.3f}")
    for name in sorted({gold for _, gold in categories}):
        given = Counter(str(ours) for ours, gold in categories if gold == name)
        print(f"  {name:<20} {', '.join(f'{one} {n}' for one, n in given.most_common())}")
    print(*(wrong if args.errors else ()), sep="\n")


if __name__ == "__main__":
    main()
