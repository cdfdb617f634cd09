"""What the HTTP service costs: requests a second and latency, against the bare guard, in one run on one machine.

    python benchmarks/service.py [--requests 200] [--at-once 64] [--rounds 3] [--processes 2 0]

`guardrail serve` runs once for each number of processes (0 = the local engine reads in threads of the service). In each
round the guard alone checks the answers, in as many threads as the service has turns; then each service is asked by one
client, by so many at once, and by as many beside one that sends 1,000 passages at a time. The services take turns, so
that what else the machine does hits all alike. The heartbeat is the service's own (guardrail_service_lag_seconds): how
late its event loop comes to its next step; that of an idle process beside it shows what the machine alone makes late.
Clients share the machine with the service, so figures of a busy machine say little.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import quantiles

from guardrail import Guard
from guardrail.service.pool import threads_of
from guardrail.service.settings import Limits

ROOT = Path(__file__).parents[1]
TEXT = (
    "Larkmoor Dam was built between 1958 and 1963 to supply the town of Fennick with drinking water. "
    "Engineers lowered the reservoir by six metres because divers had found a crack in the spillway gate. "
)
PASSAGES = [f"Report {n}. {TEXT} Section {n} was inspected in {1970 + n}." for n in range(5)]
ANSWER = "Larkmoor Dam was built between 1958 and 1963. Divers found a crack in the spillway gate in case {}."
LARGE = {"answer": "The dam was built in 1958.", "passages": [f"Report {n}. {TEXT}" for n in range(1_000)]}


def body(number: int) -> dict:
    """A request like those of a RAG service: two sentences, five passages."""
    return {"answer": ANSWER.format(number), "passages": PASSAGES}


def bare(requests: int, threads: int) -> tuple[float, list[float]]:
    """Answers a second and seconds per answer, without HTTP."""
    guard = Guard()
    guard.check(**body(0))

    def one(number: int) -> float:
        began = time.perf_counter()
        guard.run(**body(number))
        return time.perf_counter() - began

    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        took = list(pool.map(one, range(requests)))
    return requests / (time.perf_counter() - began), took


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, payload: bytes) -> int:
    """One request on a connection that stays; its status."""
    head = "POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload)
    reply = (await reader.readuntil(b"\r\n\r\n")).decode()
    await reader.readexactly(int(re.search(r"content-length: (\d+)", reply, re.IGNORECASE)[1]))
    return int(reply.split()[1])


async def load(port: int, requests: int, at_once: int, *, large: bool) -> tuple[float, list[float], int]:
    """Answers a second, seconds per answer, and how many failed."""
    numbers, took, failed = iter(range(requests)), [], 0

    async def client() -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in numbers:
            began = time.perf_counter()
            failed += await ask(reader, writer, json.dumps(body(number)).encode()) != 200
            took.append(time.perf_counter() - began)
        writer.close()

    async def heavy() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while True:
            await ask(reader, writer, json.dumps(LARGE).encode())

    beside = [asyncio.ensure_future(heavy())] if large else []
    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(at_once)))
    seconds = time.perf_counter() - began
    for task in beside:
        task.cancel()
    return requests / seconds, took, failed


def heartbeat(port: int) -> dict[float, float]:
    """Counts of the event loop's lag by upper bound in seconds, since the start."""
    page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    found = re.findall(r'guardrail_service_lag_seconds_bucket\{.*?le="([^"]+)".*?\} (\S+)', page)
    return {float(bound): float(count) for bound, count in found}


def show(name: str, rate: float, took: list[float], rest: str = "") -> None:
    """One line."""
    cuts = quantiles(took, n=20)
    print(
        f"{name:<34} {rate:7.1f} /s   p50 {cuts[9] * 1e3:7.1f} ms   p95 {cuts[18] * 1e3:7.1f} ms   {rest}", flush=True
    )


def lag(beats: dict[float, float]) -> str:
    """Share of beats that came within 20 ms, and the bound that 99 % kept."""
    total = max(beats.values(), default=0) or 1
    p99 = next((bound for bound, count in sorted(beats.items()) if count >= 0.99 * total), float("inf"))
    return f"heartbeat: {beats.get(0.02, 0) / total:.1%} within 20 ms, p99 <= {p99 * 1e3:g} ms"


def started(folder: Path, processes: int) -> tuple[subprocess.Popen[bytes], int]:
    """A service that is warm, and its port."""
    log = folder / f"log-{processes}"
    process = subprocess.Popen(
        [sys.executable, "-m", "guardrail.cli.main", "serve", "--port", "0"],
        stderr=log.open("w"),
        env={**os.environ, "PYTHONPATH": str(ROOT), "GUARDRAIL_LIMITS__PROCESSES": str(processes)},
    )
    until = time.monotonic() + 300
    while "is warm" not in log.read_text():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            sys.exit(f"the service did not come up:\n{log.read_text()}")
        time.sleep(0.05)
    return process, int(re.search(r"serves at http://127.0.0.1:(\d+)", log.read_text())[1])


def memory(process: subprocess.Popen[bytes]) -> str:
    """MiB of a service and of its processes: resident, and in proportion where pages are shared."""
    of_threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    children = [child for thread in of_threads for child in thread.read_text().split()]
    rolls = [Path(f"/proc/{each}/smaps_rollup").read_text() for each in (process.pid, *children)]
    each = {kind: [int(re.search(rf"^{kind}:\s+(\d+)", roll, re.MULTILINE)[1]) // 1024 for roll in rolls]
            for kind in ("Rss", "Pss")}  # fmt: skip
    return f"memory, MiB: resident {each['Rss']}, in proportion {each['Pss']}"


def main() -> None:
    """All rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, nargs="+", default=[threads_of(Limits()), 0])
    given = parser.parse_args()
    threads, each = threads_of(Limits()), max(1, given.requests // given.rounds)
    alone: list[tuple[float, list[float]]] = []
    seen: dict[tuple[int, str], list[tuple[float, list[float], int, dict[float, float]]]] = {}
    phases = (("one at a time", 1, False), (f"{given.at_once} at once", given.at_once, False),
              ("beside 1,000 passages", given.at_once, True))  # fmt: skip
    beside = subprocess.Popen(
        [sys.executable, str(ROOT / "benchmarks" / "service_load.py"), "--part", "idle"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    services: dict[int, tuple[subprocess.Popen[bytes], int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            for count in given.processes:
                services[count] = started(Path(folder), count)
            for number in range(given.rounds):
                print(f"round {number + 1} of {given.rounds}", file=sys.stderr, flush=True)
                alone.append(bare(each, threads))
                for name, at_once, large in phases:
                    for count, (_, port) in services.items():
                        before = heartbeat(port)
                        rate, took, failed = asyncio.run(load(port, each, at_once, large=large))
                        seen.setdefault((count, name), []).append((rate, took, failed, change(before, heartbeat(port))))
            show(f"guard alone, {threads} threads", *joined(alone))
            for (count, name), rounds in seen.items():
                beats = {bound: sum(one[3].get(bound, 0) for one in rounds) for bound in rounds[0][3]}
                failed = sum(one[2] for one in rounds)
                rate, took = joined([one[:2] for one in rounds])
                show(f"{count or 'no'} processes, {name}", rate, took, f"{failed} failed   {lag(beats)}")
            for count, (process, _) in services.items():
                print(f"{count or 'no'} processes, {memory(process)}")
            print(f"an idle process: {float(beside.communicate(timeout=60)[0]):.1%} of its heartbeats within 20 ms")
        finally:
            beside.kill()
            for process, _ in services.values():
                process.terminate()
            for process, _ in services.values():
                process.wait(60)


def joined(rounds: list[tuple[float, list[float]]]) -> tuple[float, list[float]]:
    """Answers a second over all rounds, and the seconds of each."""
    took = [seconds for _, some in rounds for seconds in some]
    return len(took) / sum(len(some) / rate for rate, some in rounds), took


def change(before: dict[float, float], after: dict[float, float]) -> dict[float, float]:
    """Beats between two readings, by upper bound."""
    return {bound: count - before.get(bound, 0) for bound, count in after.items()}


if __name__ == "__main__":
    main()
