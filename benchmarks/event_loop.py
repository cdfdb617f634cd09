"""How long the event loop of a service waits while streams are checked on it, and how many answers are done.

    python benchmarks/event_loop.py [--streams 16] [--seconds 20] [--mode sentence] [--threads 0] [--json]

Each stream says the answers of latency_cases.json one after the other, a word at a time and as fast as it is read; the
local engine checks them. A heartbeat sleeps 5 ms at a time on the same loop: "late" is how much later it wakes.
"own CPU" is what runs on the loop itself at once (CPU time of its thread between two waits): it and the CPU seconds of
an answer depend little on how busy the machine is.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from asyncio import events
from pathlib import Path
from statistics import quantiles
from unittest import mock

from guardrail import Guard, Policy
from guardrail.engines.local.engine import LocalEngine
from guardrail.streaming import MODES

CASES = json.loads(Path(__file__).with_name("latency_cases.json").read_text(encoding="utf-8"))
BEAT = 0.005


async def words(answer):
    """The answer, a word at a time; whoever else waits for the loop comes in between."""
    for word in re.findall(r"\s*\S+|\s+$", answer):
        yield word
        await asyncio.sleep(0)


async def stream(guard, mode, number, until):
    """One stream after the other; how many were done."""
    done = 0
    while time.perf_counter() < until:
        case = CASES[(number + done) % len(CASES)]
        async for _ in guard.astream(words(case["answer"]), case["passages"], question=case["question"], mode=mode):
            pass
        done += 1
    return done


async def heartbeat(late):
    """Milliseconds by which each beat is late."""
    while True:
        start = time.perf_counter()
        await asyncio.sleep(BEAT)
        late.append(1000 * (time.perf_counter() - start - BEAT))


def measured(run, own):
    """A callback of the loop, with the milliseconds of CPU that it took."""

    def timed(handle):
        start = time.thread_time()
        try:
            return run(handle)
        finally:
            own.append(1000 * (time.thread_time() - start))

    return timed


async def measure(guard, streams, seconds, mode):
    """All streams for so many seconds; what the last ones of them take longer counts, too."""
    late = []
    beating = asyncio.create_task(heartbeat(late))
    start, cpu = time.perf_counter(), time.process_time()
    done = sum(await asyncio.gather(*(stream(guard, mode, number, start + seconds) for number in range(streams))))
    took = time.perf_counter() - start
    beating.cancel()
    return late, done / took, (time.process_time() - cpu) / done


def figures(values):
    """Percentiles."""
    parts = quantiles(values, n=100)
    return {"p50": parts[49], "p95": parts[94], "p99": parts[98], "max": max(values)}


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--mode", choices=MODES, default="sentence")
    parser.add_argument("--threads", type=int, default=0, help="of a forward pass (default: one per core)")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    guard, own = Guard(engine=LocalEngine(threads=given.threads), policy=Policy.monitor().with_(deadline=None)), []
    asyncio.run(stream(guard, given.mode, 0, time.perf_counter() + 0.1))  # loads all
    with mock.patch.object(events.Handle, "_run", measured(events.Handle._run, own)):  # noqa: SLF001
        late, rate, cpu = asyncio.run(measure(guard, given.streams, given.seconds, given.mode))
    found = {"late, ms": figures(late), "own CPU, ms": figures(own)}
    if given.json:
        print(json.dumps({**found, "answers a second": rate, "CPU seconds an answer": cpu}))
        return
    print(f"{given.streams} x {given.mode}: {rate:.1f} answers a second, {cpu:.2f} s CPU each; {len(late)} beats")
    for name, values in found.items():
        print(f"{name:12}", "  ".join(f"{part} {value:.1f}" for part, value in values.items()))


if __name__ == "__main__":
    main()
