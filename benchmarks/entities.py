"""Figures of the namesake stage by word overlap alone: ``python benchmarks/entities.py --data DIR``."""

from __future__ import annotations

import argparse
import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

from guardrail.entities import Mix, cluster, group, link, mixed
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


def analyse(item: Item) -> tuple[tuple[EntityGroup, ...], tuple[Mix, ...]]:
    passages, segments = passages_of(item), segments_of(item)
    entities = cluster(passages)
    matrix = SupportMatrix(rows=tuple(Row(segment_id=one.id, cells=(None,) * len(passages)) for one in segments))
    groups = link(group(segments, item["answer"], entities), entities, matrix, segments, passages)
    return groups, mixed(groups, entities, matrix, segments, passages)


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
    parser.add_argument("--errors", action="store_true", help="list the ids of wrong items")
    args = parser.parse_args()
    items = load(args.data / "bench" / "entity_dev.jsonl")
    pairs: list[tuple[bool, bool]] = []
    sentence_pairs: list[tuple[bool, bool]] = []
    right = total = linked = links = bios = ents = 0
    wrong: list[str] = []
    for item in items:
        groups, mixes = analyse(item)
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
        ents += abs(len({one.entity.id for one in named if one.entity}) - len(set(item["entity_of_group"].values())))
        flags = [
            pairs[-1][0] != pairs[-1][1] and f"mixed={item['mixed']}",
            good < len(rows) and f"group {good}/{len(rows)}",
        ]
        flags.append(missed and f"link -{missed}")
        if any(flags):
            wrong.append(f"{item['id']}: " + ", ".join(str(flag) for flag in flags if flag))
    precision, recall, score = f1(pairs)
    print(f"{len(items)} answers")
    print(f"mixed (answer)     precision {precision:.3f}  recall {recall:.3f}  F1 {score:.3f}")
    precision, recall, score = f1(sentence_pairs)
    print(f"mixed (sentence)   precision {precision:.3f}  recall {recall:.3f}  F1 {score:.3f}")
    print(f"grouping           {right / max(1, total):.3f} of {total} sentences")
    print(f"linked title       {linked / max(1, links):.3f} of {links} groups")
    print(f"mean abs. error    #bios {bios / len(items):.3f}  #entities {ents / len(items):.3f}")
    print(*(wrong if args.errors else ()), sep="\n")


if __name__ == "__main__":
    main()
