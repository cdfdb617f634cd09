"""How well the guard says where: evidence in the passages, and the words at fault in the answer.

    python benchmarks/localization.py --data DATA [--embeddings MODEL_FOLDER]    # dev sets
    python benchmarks/localization.py --written FOLDER [--every 6]               # written training records

DATA holds bench/face4rag_dev.jsonl, dev/wice__tokens_dev.jsonl.gz, dev/wice__dev_oracle.jsonl.gz and
dev/bump__*.jsonl.gz; sets without labelled spans are named and left out. Nothing is tuned on DATA.

How F1 is counted. A token is a run of letters and digits, or one Chinese character; it belongs to a span if it
overlaps it. Predicted and labelled tokens are sets of positions (passage and token, or token of the answer).
Precision, recall and F1 are micro: true positives, predicted and labelled tokens are summed over all answers first.
"macro" is the mean over the answers of each answer's F1 (0 where nothing predicted is right). Answers without labelled
spans of the kind do not count.

- Evidence predicted for a right answer: union over its findings, flagged or not. For a wrong answer: union over its
  flagged findings, or over all of them where none is flagged.
- Error spans: per flagged finding its ``focus`` (the part at fault), or its whole ``span`` where there is none.
  "all" counts every wrong answer, with nothing predicted where nothing is flagged (what a user gets); "flagged" only
  those with a flagged finding.

Compared methods see the same segments (those whose findings are counted) and replace only what is quoted or marked:
- exact overlap: words of a passage sentence whose stem the segment has; those with few words between them are joined,
  and kept where they are two or more. Error span: content words of the segment that no passage has.
- static embeddings (RefChecker's localizer): cosine of the model's input embeddings, each content word of the segment
  against every word of the passages; the nearest one counts if it is near enough, and matches are joined as above.
  Error span: words without a match.
- contextual embeddings: the same with the embeddings of the last layer, benchmarks.embedding_localizer.

Written records have labelled sentences (``e``) for true claims; a false claim is given those of its true twin. Its
fault is what differs from the nearest of its twin and the sentences of the passages, from the first to the last word
(difflib), if seven words in ten are the same. Each claim is one answer.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.embedding_localizer import EmbeddingLocalizer
from guardrail import Finding, Guard, Passage, Policy, Report, Span, Verdict
from guardrail.check.fault import known_stems
from guardrail.evaluation import LabelledAnswer, read_labelled
from guardrail.text.passages import sentences
from guardrail.text.words import Word, content_words, read_words
from training.pairs import parts_of, read_rows
from training.written import Words, difference

SETS = ("bench/face4rag_dev.jsonl", "dev/wice__dev_oracle.jsonl.gz", "dev/wice__tokens_dev.jsonl.gz",
        "dev/bump__task1.jsonl.gz", "dev/bump__task2.jsonl.gz")  # fmt: skip
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")

GAP, STATIC, CONTEXTUAL = 20, (0.5, 40), (0.4, 15)
"""Gap in words, and (cosine, gap): the best on written training records."""

Places = set[tuple[int, int]]
"""Tokens by passage number (0 for the answer) and place."""


@dataclass
class Count:
    """Summed over answers."""

    right: int = 0
    said: int = 0
    meant: int = 0
    each: list[float] = field(default_factory=list)

    def add(self, said: Places, meant: Places) -> None:
        right = len(said & meant)
        self.right, self.said, self.meant = self.right + right, self.said + len(said), self.meant + len(meant)
        self.each.append(2 * right / (len(said) + len(meant)))

    def __str__(self) -> str:
        if not self.each:
            return "n    0"
        precision, recall = self.right / max(self.said, 1), self.right / max(self.meant, 1)
        f1 = 2 * self.right / max(self.said + self.meant, 1)
        macro = sum(self.each) / len(self.each)
        return f"n {len(self.each):4}  P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  macro {macro:.3f}"


def tokens(text: str) -> list[Span]:
    return [Span(*m.span()) for m in _TOKEN.finditer(text)]


def places(number: int, text: str, spans: Iterable[Span]) -> Places:
    """Tokens of a text that a span touches."""
    wanted = list(spans)
    return {
        (number, n) for n, t in enumerate(tokens(text)) if any(t.start < s.end and s.start < t.end for s in wanted)
    }  # fmt: skip


def flagged(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.verdict is not Verdict.SUPPORTED]


def counted(labelled: LabelledAnswer, report: Report) -> list[Finding]:
    """Findings whose evidence counts."""
    return list(report.findings) if labelled.supported else flagged(report) or list(report.findings)


@dataclass(frozen=True)
class Method:
    """Evidence as (passage number, span) and fault spans of one finding."""

    name: str
    evidence: Callable[[Finding, Sequence[Passage]], list[tuple[int, Span]]]
    faults: Callable[[Finding, Sequence[Passage]], list[Span]]


def _own_evidence(finding: Finding, passages: Sequence[Passage]) -> list[tuple[int, Span]]:
    number_of = {p.id: n for n, p in enumerate(passages)}
    return [(number_of[e.passage_id], e.span) for e in finding.evidence]


OURS = Method("guardrail", _own_evidence, lambda finding, _: [finding.focus or finding.span])


def overlap(gap: int = GAP) -> Method:
    """Exact words."""

    def evidence(finding: Finding, passages: Sequence[Passage]) -> list[tuple[int, Span]]:
        wanted = set(content_words(finding.claim))
        found = []
        for number, passage in enumerate(passages):
            for sentence in sentences(passage.text):
                own = [w for w in read_words(sentence.text) if w.stem in wanted and w.stem]
                run: list[Word] = []
                for word in [*own, None]:
                    if word is None or (run and len(read_words(sentence.text[run[-1].end : word.start])) > gap):
                        if len(run) > 1:
                            start = sentence.span.start
                            found.append((number, Span(start + run[0].start, start + run[-1].end)))
                        run = []
                    if word is not None:
                        run.append(word)
        return found

    def faults(finding: Finding, passages: Sequence[Passage]) -> list[Span]:
        known = known_stems(p.text for p in passages)
        odd = [w for w in read_words(finding.text) if w.stem and w.stem not in known]
        return [Span(finding.span.start + w.start, finding.span.start + w.end) for w in odd]

    return Method("exact overlap", evidence, faults)


def embeddings(name: str, folder: Path, similarity: float, gap: int, *, in_context: bool) -> Method:
    """The localizer of benchmarks.embedding_localizer, or RefChecker's input embeddings."""
    localizer = EmbeddingLocalizer(folder, similarity=similarity, gap=gap, in_context=in_context)

    def evidence(finding: Finding, passages: Sequence[Passage]) -> list[tuple[int, Span]]:
        number_of = {p.id: n for n, p in enumerate(passages)}
        return [(number_of[e.passage_id], e.span) for e in localizer.evidence(finding.claim, passages)]

    def faults(finding: Finding, passages: Sequence[Passage]) -> list[Span]:
        start = finding.span.start
        return [Span(start + s.start, start + s.end) for s in localizer.faults(finding.text, passages)]

    return Method(name, evidence, faults)


class Table:
    """Counts per row of the printed table."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str, str], Count] = defaultdict(Count)

    def add(self, method: Method, labelled: LabelledAnswer, report: Report) -> None:
        passages = report.passages
        kind = labelled.error_name or "supported"
        if labelled.evidence:
            meant: Places = set()
            said: Places = set()
            for number, passage in enumerate(passages):
                meant |= places(number, passage.text, [s for n, s in labelled.evidence if n == number])
                found = [pair for f in counted(labelled, report) for pair in method.evidence(f, passages)]
                said |= places(number, passage.text, [s for n, s in found if n == number])
            for group in ("all", "right answers" if labelled.supported else "wrong answers", f"  {kind}"):
                self.rows["evidence", method.name, group].add(said, meant)
        if labelled.error_spans:
            meant = places(0, labelled.answer, labelled.error_spans)
            spans = [s for f in flagged(report) for s in method.faults(f, passages)]
            said = places(0, labelled.answer, spans)
            for group in ("all", f"  {kind}", *(["flagged"] if spans or flagged(report) else [])):
                self.rows["error span", method.name, group].add(said, meant)

    def show(self, *, types: bool) -> None:
        order = {"all": 0, "right answers": 1, "wrong answers": 2, "flagged": 3}
        for (what, name, group), count in sorted(
            self.rows.items(), key=lambda item: (item[0][0], order.get(item[0][2], 9), item[0][2], item[0][1])
        ):
            if types or not group.startswith("  "):
                print(f"  {what:10} {group:28} {name:22} {count}")


def written(folder: Path, every: int) -> Iterator[LabelledAnswer]:
    """Claims of every n-th written record, each as an answer; every other record among other records' passages."""
    paths = sorted([*folder.glob("*.jsonl.gz"), *folder.glob("*.jsonl")])
    records = [record for path in paths for record in read_rows(path)]
    english = [r for r in records if r["lang"] == "en"][::every]
    drawn = random.Random(3)
    for turn, record in enumerate(english):
        passages, where = _passages(record, "p")
        if turn % 2:
            for other in drawn.sample(english, 2):
                passages = (*passages, *(_passages(other, f"d{other['id']}-")[0] if other is not record else ()))
        base: dict[str, Any] = {"passages": passages, "group": record["id"], "dataset": "written", "claim": True}
        for number, claim in enumerate(record["supported"]):
            evidence = tuple(where[n] for n in claim["e"])
            ident = f"{record['id']}-s{number}"
            yield LabelledAnswer(id=ident, answer=claim["c"], label=Verdict.SUPPORTED, evidence=evidence, **base)
        for number, claim in enumerate(record["unsupported"]):
            twin = None if claim["p"] is None else record["supported"][claim["p"]]
            fault = difference(claim["c"], [*record["sentences"], *([twin["c"]] if twin else [])], _words)
            if fault is not None:
                yield LabelledAnswer(
                    id=f"{record['id']}-u{number}",
                    answer=claim["c"],
                    label=Verdict(claim["v"]),
                    error_name=claim["t"],
                    error_spans=(fault,),
                    evidence=tuple(where[n] for n in twin["e"]) if twin else (),
                    **base,
                )


def _words(text: str) -> Words:
    return [(token.of(text).casefold(), token) for token in tokens(text)]


def _passages(record: dict[str, Any], prefix: str) -> tuple[tuple[Passage, ...], dict[int, tuple[int, Span]]]:
    """Passages of a written record, and where each of its sentences stands."""
    made: list[Passage] = []
    where: dict[int, tuple[int, Span]] = {}
    for part in parts_of(record):
        text = ""
        for number in part:
            text += " " if text else ""
            where[number] = (len(made), Span(len(text), len(text) + len(record["sentences"][number])))
            text += record["sentences"][number]
        made.append(Passage(text=text, id=f"{prefix}{len(made)}", title=record["title"]))
    return tuple(made), where


def measure(name: str, answers: Sequence[LabelledAnswer], methods: Sequence[Method], *, types: bool) -> None:
    """Check the answers that have labelled spans, and print a table."""
    spans = [a for a in answers if a.evidence or a.error_spans]
    print(f"{name}: {len(answers)} answers, {len(spans)} with labelled spans")
    guard = Guard(policy=Policy.monitor().with_(deadline=None))
    table = Table()
    for labelled in spans:
        report = guard.check(labelled.answer, labelled.passages, question=labelled.question)
        for method in methods:
            table.add(method, labelled, report)
    table.show(types=types)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", type=Path)
    source.add_argument("--written", type=Path)
    parser.add_argument("--every", type=int, default=6, help="of the written records, take every n-th")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--embeddings", type=Path, help="folder of a sentence-transformers model to compare with")
    parser.add_argument("--compare", action="store_true", help="exact word overlap beside the guard")
    parser.add_argument("--no-types", action="store_true", help="leave out the lines per error type")
    arguments = parser.parse_args()
    methods = [OURS]
    if arguments.compare:
        methods.append(overlap())
    if arguments.embeddings:
        methods.append(embeddings("static embeddings", arguments.embeddings, *STATIC, in_context=False))
        methods.append(embeddings("contextual embeddings", arguments.embeddings, *CONTEXTUAL, in_context=True))
    if arguments.written:
        measure("written", list(written(arguments.written, arguments.every)), methods, types=not arguments.no_types)
        return
    for name in arguments.sets.split(","):
        answers = [a for a in read_labelled(arguments.data / name) if a.lang == arguments.lang]
        answers = [a for a in answers if a.label is not Verdict.ABSTAINED]
        measure(name, answers, methods, types=not arguments.no_types)


if __name__ == "__main__":
    main()
