"""Check the form of written records: ``python -m training.written FILE...``."""

from __future__ import annotations

import argparse
import collections
import difflib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from guardrail.types import ErrorType, Span

TYPES = frozenset(kind.value for kind in ErrorType if kind is not ErrorType.MIXED_ENTITIES)

SAME = 0.7
"""Share of a false claim's words that its nearest true text must have for the difference to be the fault."""


def faults(record: dict[str, Any]) -> list[str]:
    """What is wrong with a record, in words; empty where its form is right."""
    keys = ("id", "lang", "title", "kind", "sentences", "supported", "unsupported")
    found = [f"{key} is missing or empty" for key in keys if not record.get(key)]
    if found:
        return found
    count = len(record["sentences"])
    if not 5 <= count <= 20:
        found.append(f"{count} sentences; 5 to 20 are wanted")
    cuts = record.get("splits") or []
    if cuts != sorted(set(cuts)) or any(not 0 < cut < count for cut in cuts):
        found.append(f"splits {cuts} must rise and lie inside 1..{count - 1}")
    found += [
        f"evidence {claim.get('e')} of {claim['c'][:40]!r} names no sentence"
        for claim in record["supported"]
        if not claim.get("e") or any(not 0 <= n < count for n in claim["e"])
    ]
    for claim in record["unsupported"]:
        twin = claim.get("p")
        if claim.get("t") not in TYPES:
            found.append(f"type {claim.get('t')!r} is none of the ten")
        if claim.get("v") not in {"contradicted", "unsupported"}:
            found.append(f"verdict {claim.get('v')!r} is neither contradicted nor unsupported")
        if twin is not None and not 0 <= twin < len(record["supported"]):
            found.append(f"twin {twin} of {claim['c'][:40]!r} does not exist")
    texts = [c["c"] for c in [*record["supported"], *record["unsupported"]]]
    found += [f"claim twice: {text[:60]!r}" for text, n in collections.Counter(texts).items() if n > 1]
    return found


Words = list[tuple[str, Span]]
"""Words as they are compared, and where they stand."""


def difference(false: str, texts: Sequence[str], read: Callable[[str], Words]) -> Span | None:
    """From the first to the last word that differs from the nearest of the texts; None if none is near.

    Args:
        false: A false claim.
        texts: Its true twin and the sentences of the passages.
        read: Cuts a text into words.
    """
    own = read(false)
    forms = [form for form, _ in own]
    matchers = [difflib.SequenceMatcher(None, forms, [form for form, _ in read(t)], autojunk=False) for t in texts]
    shares = [sum(block.size for block in m.get_matching_blocks()) / max(len(own), 1) for m in matchers]
    best = max(range(len(texts)), key=shares.__getitem__)
    changes = [(a, b) for tag, a, b, _, _ in matchers[best].get_opcodes() if tag != "equal"]
    if shares[best] < SAME or not changes:
        return None
    last = len(own) - 1
    first, final = min(changes[0][0], last), min(max(changes[-1][1] - 1, changes[-1][0]), last)
    return Span(own[first][1].start, own[final][1].end)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="JSONL files of records")
    seen: set[str] = set()
    types: collections.Counter[str] = collections.Counter()
    records = wrong = 0
    for path in parser.parse_args().files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            record = json.loads(line)
            problems = faults(record)
            if record.get("id") in seen:
                problems.append(f"id {record['id']!r} is used twice")
            seen.add(record.get("id", ""))
            types.update(claim.get("t", "") for claim in record.get("unsupported", ()))
            records, wrong = records + 1, wrong + bool(problems)
            for problem in problems:
                print(f"{path}:{number}: {problem}")
    print(f"{records} records, {wrong} with faults; {dict(types.most_common())}")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
