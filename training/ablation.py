"""What each rule of the logic check earns: how often it flags right claims, and how often wrong ones.

    python -m training.ablation --data DATA [--more FILE...] [--only PREFIX] [--show RULE]

Labelled training claims only (records written for this project), never a dev or bench set. A claim is decomposed as
in a check; its evidence is what it needs (``e`` of the claim, or of the true twin of a wrong one) and the next
best sentences by rare words, four in all. Each relation is judged by itself, so that every rule stands alone. A rule is
named by the kind of relation and the reason it gives, without the quoted words.

Columns: share of right claims that the rule flags (false alarms), of wrong claims (hits), and its precision at
equal numbers of right and wrong claims. ``--show`` prints the right and wrong claims that a rule flags.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardrail.check.decompose import decompose
from guardrail.check.logic import check_logic
from guardrail.text.words import Overlap, content_words
from training.pairs import read_rows

EVIDENCE = 4
"""Sentences shown to the rules, as in a check (guardrail.check.plan)."""

_QUOTED = re.compile(r" ?\(?'.*?'\)?(?=[\s;,.:)]|$)")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim with its evidence; ``error`` is its error type, "" where the claim is right."""

    text: str
    evidence: tuple[str, ...]
    error: str


def claims_of(record: dict[str, Any]) -> Iterator[Labelled]:
    """All claims of a written record, with the sentences that the check would read."""
    sentences: list[str] = record["sentences"]
    overlap = Overlap(content_words(sentence) for sentence in sentences)
    supported: list[dict[str, Any]] = record["supported"]
    for claim in (*supported, *record["unsupported"]):
        twin = claim.get("p")
        needed = claim.get("e") or (supported[twin]["e"] if twin is not None else [])
        others = [number for number in range(len(sentences)) if number not in needed]
        near = overlap.rank(content_words(claim["c"]), others, EVIDENCE)
        chosen = [*needed, *near][: max(EVIDENCE, len(needed))]
        yield Labelled(claim["c"], tuple(sentences[number] for number in chosen), claim.get("t", ""))


def rules_against(claim: Labelled, words: bool) -> dict[str, str]:
    """Rules that flag the claim, each with the reason that it gives; with ``words`` a rule per connective."""
    flagged: dict[str, str] = {}
    for segment in decompose(claim.text).checked:
        for relation in segment.relations:
            verdict = check_logic(segment.id, segment.text, (relation,), claim.evidence)
            if verdict.consistent is False:
                rule = _QUOTED.sub("", verdict.reason)
                name = f"{relation.kind} ({relation.connective.casefold()})" if words else relation.kind
                flagged.setdefault(f"{name}: {rule}", verdict.reason)
    return flagged


def precision(alarms: float, hits: float) -> float:
    """Share of wrong claims among the flagged ones, at equal numbers of right and wrong claims."""
    return hits / (alarms + hits) if alarms + hits else 0.0


def table(claims: list[Labelled], words: bool, show: str | None) -> None:
    """Print a line per rule, the most frequent first."""
    found: dict[str, list[Labelled]] = defaultdict(list)
    for claim in claims:
        rules = rules_against(claim, words)
        for rule, reason in rules.items():
            found[rule].append(claim)
            if show and show in rule:
                print(f"{claim.error or 'RIGHT':20} {claim.text}\n    {reason}")
                print("".join(f"    | {sentence}\n" for sentence in claim.evidence))
        if rules:
            found["any rule"].append(claim)
    right = sum(not claim.error for claim in claims)
    wrong = len(claims) - right
    print(f"{right} right claims, {wrong} wrong ones")
    print(f"{'alarms':>7} {'hits':>7} {'precision':>9}  rule")
    for rule, flagged in sorted(found.items(), key=lambda pair: -len(pair[1])):
        bad = sum(bool(claim.error) for claim in flagged)
        alarms, hits = (len(flagged) - bad) / max(right, 1), bad / max(wrong, 1)
        print(f"{alarms:7.2%} {hits:7.2%} {precision(alarms, hits):9.2f}  {rule}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--more", type=Path, nargs="*", default=[], help="further files of records")
    parser.add_argument("--only", nargs="*", default=[""], help="only files whose names begin so, such as field_")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--words", action="store_true", help="a line per connective")
    parser.add_argument("--show", help="print the claims flagged by the rules whose name holds this")
    arguments = parser.parse_args()
    own = sorted((Path(__file__).parent / "written").glob("*.jsonl"))
    given = sorted((arguments.data / "train" / "written").glob("*.jsonl.gz"))
    files = [path for path in (*given, *own, *arguments.more) if path.name.startswith(tuple(arguments.only))]
    records = [record for path in files for record in read_rows(path)]
    chosen = [r for r in records if r["lang"] == arguments.lang and r.get("passages_lang", r["lang"]) == r["lang"]]
    table([claim for record in chosen for claim in claims_of(record)], arguments.words, arguments.show)


if __name__ == "__main__":
    main()
