"""Many concurrent calls with mixed policies, wrappers and injected faults: nothing lost, crossed, leaked or kept.

    python benchmarks/soak.py [--calls 20000] [--workers 16] [--seed 1] [--json]

Half of the workers are threads, half are tasks, all at once, on shared guards and wrappers. Every question, passage and
answer holds the number of its call, so an answer that reaches another caller is found, and so is one that never comes.
Engines raise, hang and return rubbish; generators fail or repeat themselves; chains raise. Exit code 1: something was
wrong, or memory grew by more than 5 % from the first to the last quarter.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from guardrail_langchain import guard_chain
from guardrail_llamaindex import GuardedQueryEngine
from langchain_core.runnables import RunnableLambda
from llama_index.core.base.response.schema import Response
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode

from guardrail import Guard, Passage, Policy
from guardrail.check.contract import VerifyRequest
from guardrail.repair.edits import BLOCKED, NOT_VERIFIED
from guardrail.streaming import Delta
from guardrail.types import Cell, Row, Segment, Span, SupportMatrix
from guardrail.wrap.function import guarded

POLICIES = {
    "monitor": Policy.monitor(),
    "annotate": Policy.annotate(),
    "redact": Policy(actions={"contradicted": "redact"}),
    "rewrite": Policy(actions={"contradicted": "rewrite"}, on_exhausted="redact"),
    "regenerate": Policy(actions={"contradicted": "regenerate"}, max_attempts=3),
    "strict": Policy.strict(),
}
FAULTS = ("none", "none", "none", "none", "raises", "hangs", "rubbish", "generator", "stubborn", "chain")
QUARTER_GROWTH = 1.05
TAGS = 997
"""Numbers come again, long after their call: the caches of words, which are bounded, are full once all were seen."""

WARM_UP = 4_000


class SoakEngine:
    """Believes a segment if its passage has the same number and it does not say "wrong"; fails where it is told to."""

    name = "soak"

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        told = request.question or ""
        if "hangs" in told:
            time.sleep(0.02)
        if "raises" in told:
            raise RuntimeError(f"engine down at {told}")
        if "rubbish" in told:
            rubbish: Any = SupportMatrix(rows=()) if " 0?" in told or " 5?" in told else "rubbish"
            return cast("SupportMatrix", rubbish)
        return SupportMatrix(rows=tuple(_row(segment, request) for segment in request.segments))


class AsyncSoakEngine:
    """The same, awaited."""

    name = "soak"

    async def averify(self, request: VerifyRequest) -> SupportMatrix:
        """See AsyncEngine.averify."""
        await asyncio.sleep(0.02 if "hangs" in (request.question or "") else 0)
        return SoakEngine().verify(_without_hang(request))


def _without_hang(request: VerifyRequest) -> VerifyRequest:
    return replace(request, question=(request.question or "").replace("hangs", "hung"))


def _row(segment: Segment, request: VerifyRequest) -> Row:
    own = tag_of(request.passages[0].text)
    good = own in segment.text and "wrong" not in segment.text
    cell = Cell(supported=0.95, contradicted=0.02) if good else Cell(supported=0.03, contradicted=0.96)
    return Row(
        segment_id=segment.id,
        cells=(cell,) * len(request.passages),
        supported=cell.supported,
        contradicted=cell.contradicted,
        evidence=((0, Span(0, len(request.passages[0].text))),),
    )


@dataclass(frozen=True, slots=True)
class Case:
    """One call."""

    number: int
    policy: str
    fault: str
    good: bool

    @property
    def tag(self) -> str:
        """What all its texts hold."""
        return f"T{self.number % TAGS:06d}"

    @property
    def question(self) -> str:
        """Also tells the engine what goes wrong."""
        return f"What of {self.tag} {self.fault} {'good' if self.good else 'bad'} {self.number % 10}?"

    @property
    def right(self) -> str:
        """An answer that passes."""
        return f"Record {self.tag} is complete."

    @property
    def answer(self) -> str:
        """What the chain says at first."""
        return self.right if self.good else f"{self.right} The clerk of {self.tag} is wrong."

    @property
    def passages(self) -> list[Passage]:
        """What it is checked against."""
        return [Passage(id=self.tag, text=self.right)]

    def again(self, _: object = None) -> str:
        """The next answer."""
        if self.fault == "generator":
            raise OSError("model down")
        return self.answer if self.fault == "stubborn" else self.right

    async def aagain(self, _: object = None) -> str:
        """The same, awaited."""
        await asyncio.sleep(0)
        return self.again()

    def expected(self) -> str | None:
        """The text to deliver to the byte; None where notes are added to it."""
        blocked = BLOCKED["en"]
        if self.fault in {"raises", "rubbish"}:
            blocked = NOT_VERIFIED["en"]
            return self.answer if self.policy == "monitor" else None if self.policy == "annotate" else blocked
        if self.good or self.policy == "monitor":
            return self.answer
        if self.policy == "annotate":
            return None
        if self.policy == "strict" or (self.policy == "regenerate" and self.fault in {"generator", "stubborn"}):
            return blocked
        return self.right


class ChainError(Exception):
    """The chain's own failure, which its caller must get."""


def read_case(question: str) -> Case:
    """The case that a question belongs to; its policy is not known in there."""
    _, _, tag, fault, good, _ = question.split()
    case = Case(int(tag[1:]), "", fault, good == "good")
    if fault == "chain":
        raise ChainError(case.tag)
    return case


def tag_of(text: str) -> str:
    """The first tag in a text, "" for none."""
    at = text.find("T0")
    return text[at : at + 7] if at >= 0 else ""


def chain_output(given: dict[str, str]) -> dict[str, Any]:
    """The chain: an answer and its documents."""
    case = read_case(given["input"])
    return {"input": given["input"], "answer": case.answer, "context": case.passages}


async def achain_output(given: dict[str, str]) -> dict[str, Any]:
    """The same, awaited."""
    await asyncio.sleep(0)
    return chain_output(given)


class SoakQueryEngine(CustomQueryEngine):
    """The same as a query engine."""

    def custom_query(self, query_str: str) -> Response:
        """See CustomQueryEngine."""
        case = read_case(query_str)
        return Response(
            response=case.answer, source_nodes=[NodeWithScore(node=TextNode(id_=case.tag, text=case.right))]
        )


Way = Callable[[Case], Any]


def again_of(given: Any) -> str:
    """A new answer for wrappers that were set up before the question was known."""
    question = given["question"] if isinstance(given, dict) else given.question
    return read_case(question).again()


def ways(guard: Guard) -> dict[str, Way]:
    """Sync calls of everything that delivers text, on one guard."""
    chain = guard_chain(RunnableLambda(chain_output, achain_output), guard, regenerate=again_of)
    query = GuardedQueryEngine(SoakQueryEngine(), guard, regenerate=again_of)

    @guarded(guard, deliver="text")
    def decorated(question: str, feedback: Any = None) -> tuple[str, list[Passage]]:
        case = read_case(question)
        return (case.again() if feedback else case.answer), case.passages

    def run(case: Case) -> str:
        read_case(case.question)
        return guard.run(case.answer, case.passages, question=case.question, regenerate=case.again).text

    def stream(case: Case, mode: Any) -> str:
        read_case(case.question)
        deltas = (case.answer[n : n + 7] for n in range(0, len(case.answer), 7))
        events = guard.stream(deltas, case.passages, question=case.question, mode=mode, regenerate=case.again)
        return "".join(event.text for event in events if isinstance(event, Delta))

    return {
        "run": run,
        "buffer": lambda case: stream(case, "buffer"),
        "sentence": lambda case: stream(case, "sentence"),
        "chain": lambda case: chain.invoke({"input": case.question})["answer"],
        "query": lambda case: str(query.query(case.question)),
        "decorated": lambda case: decorated(case.question),
    }


def async_ways(guard: Guard) -> dict[str, Callable[[Case], Awaitable[str]]]:
    """The same, awaited."""
    chain = guard_chain(RunnableLambda(chain_output, achain_output), guard, regenerate=again_of)
    query = GuardedQueryEngine(SoakQueryEngine(), guard, regenerate=again_of)

    @guarded(guard, deliver="text")
    async def decorated(question: str, feedback: Any = None) -> tuple[str, list[Passage]]:
        case = read_case(question)
        return (await case.aagain() if feedback else case.answer), case.passages

    async def run(case: Case) -> str:
        read_case(case.question)
        done = await guard.arun(case.answer, case.passages, question=case.question, regenerate=case.aagain)
        return done.text

    async def stream(case: Case, mode: Any) -> str:
        read_case(case.question)

        async def deltas() -> Any:
            for n in range(0, len(case.answer), 7):
                yield case.answer[n : n + 7]

        events = guard.astream(deltas(), case.passages, question=case.question, mode=mode, regenerate=case.aagain)
        return "".join([event.text async for event in events if isinstance(event, Delta)])

    async def invoke(case: Case) -> str:
        return (await chain.ainvoke({"input": case.question}))["answer"]

    async def ask(case: Case) -> str:
        return str(await query.aquery(case.question))

    return {
        "run": run,
        "buffer": lambda case: stream(case, "buffer"),
        "sentence": lambda case: stream(case, "sentence"),
        "chain": invoke,
        "query": ask,
        "decorated": lambda case: decorated(case.question),
    }


@dataclass(slots=True)
class Tally:
    """What came of the calls; ``memory``: MiB resident, sampled as calls finish."""

    total: int
    every: int
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def judge(self, case: Case, way: str, came: object) -> None:
        """Count one result, and look at it."""
        fault = self._fault(case, way, came)
        with self.lock:
            self.done[f"{way}"] += 1
            self.done["raised"] += isinstance(came, Exception)
            if fault:
                self.wrong.append(f"call {case.number} ({way}, {case.policy}, {case.fault}): {fault}: {came!r:.200}")
            if case.number in self.answered:
                self.wrong.append(f"call {case.number} was answered twice")
            self.answered.add(case.number)
            if len(self.answered) % self.every == 0:
                self.memory.append(resident())

    def _fault(self, case: Case, way: str, came: object) -> str:
        if case.fault == "chain":
            return "" if isinstance(came, ChainError) and str(came) == case.tag else "the chain's error was lost"
        if not isinstance(came, str):
            return "an error instead of an answer"
        if case.policy not in {"monitor", "annotate"} and "wrong" in came:
            return "a leak"
        if {word.strip(".:”“") for word in came.split() if word.startswith("T0")} - {case.tag}:
            return "crossed"
        expected = case.expected()
        if way == "sentence":  # what left before a block stays, so the text depends on how far it came
            return "" if came.startswith(case.right) or came == expected else "not what the policy says"
        if expected is None:
            return "" if came.startswith(case.right) and case.tag in came else "no notes"
        return "" if came == expected else "not what the policy says"


def resident() -> float:
    """MiB of this process that lie in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def soak(calls: int, workers: int, seed: int) -> Tally:
    """Make the calls: threads take the odd ones, tasks the even ones."""
    draw = random.Random(seed)
    names = list(POLICIES)
    cases = [Case(n, draw.choice(names), draw.choice(FAULTS), draw.random() < 0.4) for n in range(calls)]
    tally = Tally(calls, max(1, calls // 200))
    sync = {name: ways(Guard(policy=policy, engine=SoakEngine())) for name, policy in POLICIES.items()}
    tasks = [
        {name: async_ways(Guard(policy=policy, engine=engine())) for name, policy in POLICIES.items()}
        for engine in (SoakEngine, AsyncSoakEngine)
    ]
    pick = {case.number: draw.choice(list(sync["monitor"])) for case in cases}
    odd, even = iter(cases[1::2]), iter(cases[::2])
    lock = threading.Lock()

    def thread() -> None:
        while True:
            with lock:
                case = next(odd, None)
            if case is None:
                return
            way = pick[case.number]
            try:
                came: object = sync[case.policy][way](case)
            except Exception as error:
                came = error
            tally.judge(case, way, came)

    async def task() -> None:
        for case in even:
            way = pick[case.number]
            try:
                came: object = await tasks[case.number // 2 % 2][case.policy][way](case)
            except Exception as error:
                came = error
            tally.judge(case, way, came)

    async def all_tasks() -> None:
        await asyncio.gather(*(task() for _ in range(workers - workers // 2)))

    threads = [threading.Thread(target=thread) for _ in range(workers // 2)]
    for each in threads:
        each.start()
    asyncio.run(all_tasks())
    for each in threads:
        each.join()
    return tally


def main() -> None:
    """Soak, print the figures, exit 1 where something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)  # thousands of warnings about injected faults
    soak(WARM_UP, arguments.workers, arguments.seed + 1)
    start = time.perf_counter()
    tally = soak(arguments.calls, arguments.workers, arguments.seed)
    quarter = max(1, len(tally.memory) // 4)
    first, last = (statistics.median(part) for part in (tally.memory[:quarter], tally.memory[-quarter:]))
    figures = {
        "calls": arguments.calls,
        "workers": arguments.workers,
        "seconds": round(time.perf_counter() - start, 1),
        "lost": arguments.calls - len(tally.answered),
        "wrong": len(tally.wrong),
        "errors of chains, passed on": tally.done.pop("raised"),
        "by way": dict(sorted(tally.done.items())),
        "MiB, median of the first quarter": round(first, 1),
        "MiB, median of the last quarter": round(last, 1),
        "threads at the end": threading.active_count(),
    }
    print(json.dumps(figures) if arguments.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    for line in tally.wrong[:20]:
        print(line)
    if figures["lost"] or tally.wrong or last > first * QUARTER_GROWTH:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
