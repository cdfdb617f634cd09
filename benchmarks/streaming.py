"""What each mode adds to a stream: time to the first checked sentence, and to the end, beside the raw stream.

    python benchmarks/streaming.py [--rate 40] [--runs 3] [--json]

A fake model says the answers of latency_cases.json, a word at a time at ``--rate`` words per second; the local engine
checks them. "first" is the time until text leaves, "added" how much later than the raw stream the end comes,
"checks" the calls of the engine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from guardrail import Guard, Policy
from guardrail.check.contract import PartialRows, VerifyRequest
from guardrail.engines.local.engine import LocalEngine
from guardrail.streaming import MODES, Delta, Mode, aguarded_stream
from guardrail.types import SupportMatrix

CASES = Path(__file__).with_name("latency_cases.json")


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds from the start of the stream; ``first`` is that of the first delta that leaves."""

    mode: str
    first: float
    end: float
    checks: int


class Counting(LocalEngine):
    """The local engine, counting its calls."""

    calls = 0

    def read_part(self, request: VerifyRequest) -> PartialRows:
        """See IncrementalEngine.read_part."""
        Counting.calls += 1
        return LocalEngine.read_part(self, request)

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        return LocalEngine.verify(self, request)


async def say(answer: str, rate: float) -> AsyncIterator[str]:
    """The answer, a word at a time."""
    start = time.perf_counter()
    for number, word in enumerate(re.findall(r"\s*\S+|\s+$", answer)):
        await asyncio.sleep(max(0.0, start + number / rate - time.perf_counter()))
        yield word


async def raw(case: dict[str, Any], rate: float) -> Timing:
    """The stream without a guard."""
    start, first = time.perf_counter(), 0.0
    async for _ in say(case["answer"], rate):
        first = first or time.perf_counter() - start
    return Timing("raw", first, time.perf_counter() - start, 0)


async def guarded(guard: Guard, case: dict[str, Any], mode: Mode, rate: float) -> Timing:
    """The stream in one mode."""
    Counting.calls = 0
    start, first = time.perf_counter(), 0.0
    stream = aguarded_stream(guard, say(case["answer"], rate), case["passages"], question=case["question"], mode=mode)
    async for event in stream:
        if isinstance(event, Delta):
            first = first or time.perf_counter() - start
    return Timing(mode, first, time.perf_counter() - start, Counting.calls)


async def measure(rate: float, runs: int) -> list[tuple[Timing, Timing]]:
    """Each guarded stream with the raw stream right before it."""
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    guard = Guard(policy=Policy.monitor().with_(deadline=None), engine=Counting())
    guard.check(cases[0]["answer"], cases[0]["passages"])
    found = []
    for _ in range(runs):
        for case in cases:
            found += [(await raw(case, rate), await guarded(guard, case, mode, rate)) for mode in MODES]
    return found


def table(found: list[tuple[Timing, Timing]]) -> str:
    """Medians as a Markdown table."""
    lines = ["| mode | first text (s) | end (s) | added at the end (ms) | checks |", "| --- | --- | --- | --- | --- |"]
    before = [each for each, _ in found]
    lines.append(f"| raw | {_median(t.first for t in before):.2f} | {_median(t.end for t in before):.2f} | – | – |")
    for mode in MODES:
        pairs = [(plain, checked) for plain, checked in found if checked.mode == mode]
        first, end = (_median(getattr(t, name) for _, t in pairs) for name in ("first", "end"))
        added = _median(t.end - plain.end for plain, t in pairs)
        checks = _median(t.checks for _, t in pairs)
        lines.append(f"| {mode} | {first:.2f} | {end:.2f} | {1000 * added:.0f} | {checks:.0f} |")
    return "\n".join(lines)


def _median(values: Any) -> float:
    return float(statistics.median(list(values)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=40.0, help="words per second (default 40)")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = asyncio.run(measure(arguments.rate, arguments.runs))
    print(json.dumps([[asdict(a), asdict(b)] for a, b in found]) if arguments.json else table(found))


if __name__ == "__main__":
    main()
