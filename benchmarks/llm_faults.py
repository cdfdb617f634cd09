"""The LLM engine against a model and a network that fail: does every answer come back, and is nothing made up?

    python benchmarks/llm_faults.py [--answers 10000] [--rate 0.2] [--plan fast] [--json]

A real HTTP server on loopback plays the model (guardrail.testing): it reads the prompts by words and numbers, and a
share of its replies is spoiled by one of 21 faults. Answers are built from templates, whose sentences are known to be
true or false, and from the written records under training/written. Half of them are checked by threads, half by one
event loop, all through one guard and one engine. Asserted:

- every answer comes back with a report, and every piece of it is in a finding or listed as skipped, once;
- nothing is "supported" that the script did not call supported when it was asked, and no false sentence of a template.

The script's own judgement is a test double: this measures the plumbing, not accuracy.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from guardrail import Guard, Policy, Report, Verdict
from guardrail.check.decompose import decompose
from guardrail.engines.llm.engine import LLMEngine
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.requests.calls import CallSettings
from guardrail.testing import OpenAIServer, Reply
from guardrail.types import Span

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.judge_script import ReadingJudge
from tests.support.model_faults import ALL_KINDS, ModelFaults
from tests.support.prompt_names import prompt_name, request_data
from tests.support.short_replies import lengthened

WRITTEN = Path(__file__).parents[1] / "training" / "written"
THREADS = TASKS = 8
_FIRST = "Ada Bruno Clara David Edith Felix Greta Hugo Irene Jonas Karin Louis Marta Nils Olga Peter".split()
_LAST = "Bergdahl Fieldgren Holtkamp Lundman Rudsen Stromvik Dalgaard Ekholm Tarnow Quillfeld".split()
_JOBS = "surveyor botanist organist cartographer bookbinder glazier clockmaker beekeeper".split()
_THINGS = "bridge harbour library mill lighthouse orchard observatory tannery".split()
_INVENTED = (
    "{name} spoke seven languages and juggled knives at royal weddings.",
    "Critics despised every poem that {name} published abroad.",
    "{name} secretly financed a submarine expedition to Antarctica.",
)

Key = tuple[str, tuple[str, ...]]
"""A segment's text and the texts of its documents."""


@dataclass(frozen=True, slots=True)
class Case:
    """An answer, its passages, and the stretches of it that are false, where that is known."""

    answer: str
    passages: tuple[str, ...]
    question: str
    false: tuple[Span, ...] = ()


def cases(count: int) -> Iterator[Case]:
    """Answers, every other one from a template; the same for every run."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(WRITTEN.glob("*.jsonl"))]
    records = [json.loads(line) for text in texts for line in text.splitlines()]
    for number in range(count):
        draw = random.Random(number)
        yield _template(number, draw) if number % 2 or not records else _written(draw.choice(records), draw)


def _template(number: int, draw: random.Random) -> Case:
    name = f"{draw.choice(_FIRST)} {draw.choice(_LAST)}"
    born, height, cost = 1700 + number % 250, 10 + number // 250, 100 + draw.randrange(800)
    job, thing = draw.choice(_JOBS), draw.choice(_THINGS)
    facts = [
        f"{name} was born in {born} and worked as a {job} in the northern valleys.",
        f"The {thing} that {name} designed is {height} metres high and cost {cost} crowns.",
        f"The council closed the {thing} in {born + 60} because the foundations had cracked.",
        f"Every spring the {thing} attracts about {cost + 7} visitors from neighbouring villages.",
    ]
    passages = (" ".join(facts[:2]), " ".join(facts[2:]), f"The {draw.choice(_THINGS)} festival takes place in May.")
    sentences, false, start = [], [], 0
    for fact in draw.sample(facts, draw.randint(2, 4)):
        kind = draw.random()
        text = fact
        if kind < 0.2:
            text = fact.replace(str(cost), str(cost + 13)).replace(str(born), str(born + 3))
            text = text.replace(str(cost + 7), str(cost + 20)).replace(str(born + 60), str(born + 71))
        elif kind < 0.4:
            text = draw.choice(_INVENTED).format(name=name)
        elif kind < 0.7:
            text = fact.replace(" because ", " although ")  # the facts hold, the relation does not
        if text != fact and text not in sentences:
            false.append(Span(start, start + len(text)))
        if text not in sentences:
            sentences.append(text)
            start += len(text) + 1
    return Case(" ".join(sentences), passages, f"What is known of {name}?", tuple(false))


def _written(record: Mapping[str, Any], draw: random.Random) -> Case:
    claims = [each["c"] for each in (*record["supported"], *record["unsupported"])]
    copied = [s for s in record["sentences"] if s.endswith(".")]
    chosen = draw.sample(claims, min(len(claims), 2)) + draw.sample(copied, min(len(copied), draw.randint(1, 2)))
    draw.shuffle(chosen)
    cuts = [0, *(record.get("splits") or []), len(record["sentences"])]
    passages = tuple(" ".join(record["sentences"][a:b]) for a, b in pairwise(cuts))
    return Case(" ".join(chosen), passages, record.get("question") or record["title"])


@dataclass
class Truth:
    """A script around another that notes what it called supported, before anything is spoiled.

    By points: two answers may have the same segment and take it apart otherwise.
    """

    script: ReadingJudge
    lock: threading.Lock = field(default_factory=threading.Lock)
    facts: dict[Key, dict[str, bool]] = field(default_factory=lambda: defaultdict(dict))
    logic: dict[Key, dict[frozenset[str], set[bool]]] = field(default_factory=lambda: defaultdict(dict))

    def __call__(self, body: dict[str, Any]) -> Reply:
        reply = self.script(body)
        if reply.status == 200 and prompt_name(body) in ("judge", "review"):
            said = lengthened(prompt_name(body), json.loads(reply.text), request_data(body))
            parts = {each["id"]: each for each in said.get("segments", [said])}
            asked = {each["id"]: each["points"] for each in request_data(body)["segments"]}
            texts = {point["id"]: point["text"] for listed in asked.values() for point in listed}
            for key, ident in keys_of(body):
                points, logic = parts[ident].get("points"), parts[ident].get("logic")
                with self.lock:
                    for point in points or ():
                        self.facts[key][texts[point["id"]]] = point["verdict"] == "supported"
                    ties = self.logic[key]
                    own = ties.setdefault(frozenset(point["text"] for point in asked[ident]), set())
                    if logic:  # a second look shows some points only
                        for verdicts in [own] if prompt_name(body) == "judge" else ties.values():
                            verdicts.add(logic["verdict"] in ("consistent", "no_relation"))
        return reply

    def supports(self, key: Key, points: Sequence[str]) -> bool:
        """Whether the script said that all points are supported, and that the relation, if any, is licensed."""
        said, ties = self.facts.get(key, {}), self.logic.get(key, {}).get(frozenset(points))
        return all(said.get(point, False) for point in points) and (not ties or True in ties)


@dataclass
class Watched(ModelFaults):
    """Faults that also note which segments, or which answer, each of them hit."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.hits: list[tuple[str, str, tuple[Key, ...]]] = []

    def spoil(self, body: dict[str, Any], reply: Reply) -> tuple[Reply, str | None]:
        spoiled, fault = super().spoil(body, reply)
        if fault is not None:
            self.hits.append((fault, prompt_name(body) or "?", tuple(key for key, _ in keys_of(body))))
        return spoiled, fault


def keys_of(body: dict[str, Any]) -> list[tuple[Key, str]]:
    """Keys and ids of the segments that a request asks about."""
    data = request_data(body)
    texts = tuple(each["text"] for each in data.get("documents", ()))
    return [((segment["text"], texts), segment["id"]) for segment in data.get("segments", ())]


@dataclass
class Outcome:
    """What came of all answers; ``faults``: the verdicts of the segments that each fault hit on its way."""

    answers: int
    seconds: float
    peak_mb: float
    calls: int
    retries: int
    rounds: int
    faults_done: Mapping[str, int]
    segments: Mapping[str, int]
    by_rules: int
    faults: dict[str, dict[str, int]]
    broken: list[str]


def run(
    count: int,
    *,
    rate: float = 0.2,
    seed: int = 1,
    plan: str = "fast",
    timeout: float = 2.0,
    deadline: float = 60.0,
    kinds: Iterable[str] = ALL_KINDS,
    progress: bool = False,
) -> Outcome:
    """Check that many answers, half by threads, half by tasks, at the same time."""
    truth = Truth(ReadingJudge())
    faults = Watched(rate=rate, seed=seed, kinds=kinds, slow=timeout + 0.5)
    asked = list(cases(count))
    with OpenAIServer(truth, faults=faults, keep=0) as server:
        settings = CallSettings(
            timeout=timeout, first_wait=0.02, longest_wait=0.2, concurrency=THREADS, breaker_failures=50
        )
        model = OpenAILLM("scripted", base_url=server.base_url, api_key="scripted")
        engine = LLMEngine(llm=model, plan=plan, settings=settings, cache=None)
        guard = Guard(policy=Policy(deadline=deadline), engine=engine)
        started = time.monotonic()
        reports = _check(guard, asked, progress=progress)
        seconds = time.monotonic() - started
        calls = server.call_count
    return _outcome(asked, reports, truth, faults, seconds, calls)


def _check(guard: Guard, asked: Sequence[Case], *, progress: bool) -> dict[int, Report]:
    reports: dict[int, Report] = {}
    middle = len(asked) // 2

    def note(number: int, report: Report) -> None:
        reports[number] = report
        if progress and len(reports) % 500 == 0:
            print(f"{len(reports)} of {len(asked)}", file=sys.stderr)

    def check(number: int) -> None:
        case = asked[number]
        note(number, guard.check(case.answer, case.passages, question=case.question))

    async def all_tasks() -> None:
        numbers = iter(range(middle, len(asked)))

        async def work() -> None:
            for number in numbers:
                case = asked[number]
                note(number, await guard.acheck(case.answer, case.passages, question=case.question))

        await asyncio.gather(*(work() for _ in range(TASKS)))

    with ThreadPoolExecutor(THREADS + 1) as pool:
        loop = pool.submit(asyncio.run, all_tasks())
        list(pool.map(check, range(middle)))
        loop.result()
    return reports


def _outcome(
    asked: Sequence[Case], reports: Mapping[int, Report], truth: Truth, faults: Watched, seconds: float, calls: int
) -> Outcome:
    wrong: list[str] = []
    verdicts: dict[Key, Counter[str]] = defaultdict(Counter)
    segments: Counter[str] = Counter()
    for number, case in enumerate(asked):
        report = reports.get(number)
        if report is None:
            wrong.append(f"answer {number} did not come back")
            continue
        wrong += [f"answer {number}: {why}" for why in _broken(case, report)]
        for finding in report.findings:
            key = (finding.claim, case.passages)
            verdicts[key][finding.verdict.value] += 1
            segments[finding.verdict.value] += 1
            points = [claim.text for claim in report.claims if claim.segment_id == finding.id] or [finding.claim]
            if finding.verdict is Verdict.SUPPORTED and not truth.supports(key, points):
                wrong.append(f"answer {number}: supported, though the script did not say so: {finding.claim!r}")
    by_fault: dict[str, Counter[str]] = defaultdict(Counter)
    for fault, prompt, keys in faults.hits:
        by_fault[fault][f"in {'decompose' if prompt == 'decompose' else 'judge'}"] += 1
        for key in keys:
            by_fault[fault].update(verdicts.get(key, {}))
    usage = [report.usage for report in reports.values()]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)
    return Outcome(
        answers=len(reports),
        seconds=seconds,
        peak_mb=peak,
        calls=calls,
        retries=sum(each.retries for each in usage),
        rounds=sum(each.rounds for each in usage),
        faults_done=faults.counts,
        segments=dict(segments),
        by_rules=sum("rules" in report.reason for report in reports.values()),
        faults={kind: dict(counts) for kind, counts in sorted(by_fault.items())},
        broken=wrong,
    )


def _broken(case: Case, report: Report) -> Iterator[str]:
    ids = [each.id for each in (*report.findings, *report.skipped)]
    if len(set(ids)) < len(ids):
        yield f"ids repeat: {ids}"
    places = [each.span for each in (*report.findings, *report.skipped)]
    for piece in decompose(case.answer, question=case.question).checked:
        if not any(_touch(piece.span, place) for place in places):
            yield f"a piece is in no finding: {piece.text!r}"
    spans = sorted(finding.span for finding in report.findings)
    if any(a.end > b.start for a, b in pairwise(spans)):
        yield "two findings for the same words"
    for finding in report.findings:
        if finding.verdict is Verdict.SUPPORTED and any(_touch(finding.span, span) for span in case.false):
            yield f"a false sentence is supported: {finding.text!r}"
    if report.verdict is Verdict.SUPPORTED and any(f.verdict is not Verdict.SUPPORTED for f in report.findings):
        yield "the answer is supported, a finding is not"


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=0.2, help="share of requests with a fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plan", default="fast")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    done = run(options.answers, rate=options.rate, seed=options.seed, plan=options.plan, progress=True)
    if options.json:
        print(json.dumps({name: getattr(done, name) for name in done.__dataclass_fields__}, indent=1))
    else:
        _show(done, options.answers)
    sys.exit(bool(done.broken))


def _show(done: Outcome, asked: int) -> None:
    print(f"answers back      {done.answers} of {asked}")
    print(f"broken promises   {len(done.broken)}")
    print(f"segments          {sum(done.segments.values())}: {_counts(done.segments)}")
    print(f"requests          {done.calls} ({done.calls / asked:.2f} per answer), {done.retries} of them retries")
    print(f"faults            {sum(done.faults_done.values())}; {done.by_rules} answers taken apart by the rules")
    print(
        f"time              {done.seconds:.0f} s, {asked / done.seconds:.0f} answers/s, {done.peak_mb:.0f} MB at most"
    )
    names = ("in decompose", "in judge", "supported", "contradicted", "unsupported", "unverified")
    print("\n| fault | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for kind, counts in done.faults.items():
        print(f"| {kind} | " + " | ".join(str(counts.get(name, 0)) for name in names) + " |")
    for problem in done.broken[:20]:
        print(problem, file=sys.stderr)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda pair: -pair[1]))


if __name__ == "__main__":
    main()
