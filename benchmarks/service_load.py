"""The proxy under load: what is lost, what is crossed, what leaves unchecked, and what memory does.

    python benchmarks/service_load.py [--requests 20000] [--at-once 64] [--seconds 1200] [--json]

Upstream, service and clients are three processes on loopback. Each answer holds its request's number, one sentence that
the engine supports and one that it contradicts, also when it is asked again; the policy repairs. Half of the requests
ask for a stream. Every 40th client leaves after the first piece of its stream; every 200th request meets an upstream
that hangs (its time limit is 1 s), every 200th one that breaks off. At last the service gets SIGTERM while clients go
on asking. No new request is sent after ``--seconds``: a busy machine does fewer. Standard error says how far it is.

"Lost": no reply, half a reply or a wrong status. "Crossed": a reply that holds another request's number. "Unchecked": a
contradicted sentence in what a client received. "Refused": a connection that was refused after SIGTERM; its client
stops. Memory is the service's resident set. Heartbeats are those of the service's event loop; those of an idle one in a
process beside it show what the machine alone makes late.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import quantiles

import httpx

GOOD, WRONG = "Dam {} was closed on 4 May 2021.", "Dam {} is wrong."
HANGS, BREAKS, LEAVES = "hang", "break", "leave"
MOST = 0.95
LAST = 120.0
"""Seconds for what is under way when no new requests are sent, and for the service to end."""
PASSAGE = "The dams were closed on 4 May 2021 after divers found a crack."


class MarkedEngine:
    """Contradicts what says "wrong" and supports the rest; keeps nothing, so that memory is the service's own."""

    name = "marked"

    def verify(self, request):
        from guardrail.types import Cell, Row, SupportMatrix

        def row(segment):
            against = "wrong" in segment.text
            cell = Cell(supported=0.02 if against else 0.97, contradicted=0.97 if against else 0.02)
            return Row(
                segment_id=segment.id,
                cells=(cell,) * len(request.passages),
                supported=cell.supported,
                contradicted=cell.contradicted,
            )

        return SupportMatrix(rows=tuple(row(segment) for segment in request.segments))


async def upstream():
    """Answers with the number that it is asked about."""

    def events(answer):
        deltas = [{"role": "assistant", "content": ""}, *({"content": word + " "} for word in answer.split()), {}]
        for number, delta in enumerate(deltas):
            end = "stop" if number == len(deltas) - 1 else None
            choice = {"index": 0, "delta": delta, "finish_reason": end}
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
            yield f"data: {json.dumps(chunk)}\n\n".encode()
        yield b"data: [DONE]\n\n"

    async def connected(reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                body = json.loads(await reader.readexactly(int(length.split(b":")[1])))
                number, fate = body["messages"][0]["content"].split()  # the rest asks for a better answer
                if fate == HANGS:
                    await asyncio.sleep(30)
                answer = f"{GOOD.format(number)} {WRONG.format(number)}"
                if body.get("stream"):
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
                    for count, event in enumerate(events(answer)):
                        if fate == BREAKS and count == 4:
                            return
                        writer.write(event)
                        await writer.drain()
                    return
                message = {"role": "assistant", "content": answer}
                whole = {"id": "c", "object": "chat.completion", "created": 0, "model": "m"}
                whole["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
                text = json.dumps(whole).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(text)
                )
                writer.write(text[:40] if fate == BREAKS else text)
                await writer.drain()
                if fate == BREAKS:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def served(address, folder):
    """``guardrail serve`` in a process of its own, and its port."""
    (folder / "service.yaml").write_text(
        "guards:\n  default: {engine: 'python:service_load:MarkedEngine', policy: repair}\n"
        f"upstreams:\n  main: {{url: '{address}', read_seconds: 1}}\n"
        "drain_seconds: 2\nlog_level: warning\n"
    )
    log = folder / "log"
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    command = [
        sys.executable,
        "-m",
        "guardrail.cli.main",
        "serve",
        "--config",
        str(folder / "service.yaml"),
        "--port",
        "0",
    ]
    process = subprocess.Popen(command, stderr=log.open("w"), env={**os.environ, "PYTHONPATH": path})
    until = time.monotonic() + LAST
    found = None
    while not (found and is_up(f"http://127.0.0.1:{found[1]}/readyz")):
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            sys.exit(f"the service did not come up:\n{log.read_text()}")
        time.sleep(0.05)
        found = re.search(r"serves at http://127.0.0.1:(\d+)", log.read_text())
    return process, int(found[1]), log


def is_up(address):
    """Whether something answers there."""
    try:
        return httpx.get(address).status_code == 200
    except httpx.TransportError:
        return False


def resident(process):
    """MiB of a process and its children."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    total = 0
    for each in (process.pid, *children):
        total += int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{each}/status").read_text())[1])
    return total / 1024


class Load:
    """The clients, and what they saw."""

    def __init__(self, port, requests, seconds):
        self.until = time.monotonic() + seconds
        self.url = f"http://127.0.0.1:{port}/v1/chat/completions"
        self.requests = requests
        self.numbers = iter(range(requests))
        self.seen = Counter()
        self.took = []
        self.memory = []
        self.examples = []
        self.stopping = False
        self.most_done = asyncio.Event()

    async def client(self, process):
        limits = httpx.Limits(max_connections=1)
        async with httpx.AsyncClient(timeout=60, limits=limits) as http:
            for number in self.numbers:
                if time.monotonic() > self.until:
                    self.most_done.set()
                began = time.perf_counter()
                try:
                    what = await self.ask(http, number)
                except (httpx.HTTPError, ValueError) as error:  # no JSON is no reply
                    what = "refused" if self.stopping and isinstance(error, httpx.ConnectError) else "lost"
                    self.note(what, number, repr(error))
                self.seen[what] += 1
                self.took.append(time.perf_counter() - began)
                if len(self.took) >= MOST * self.requests:
                    self.most_done.set()
                if len(self.took) % max(1, self.requests // 20) == 0 and not self.stopping:
                    self.memory.append(resident(process))
                    self.tell()
                if what == "refused":
                    return

    def tell(self):
        """How far it is."""
        seen = ", ".join(f"{name} {count}" for name, count in self.seen.items())
        print(f"{len(self.took)} of {self.requests}: {seen}; {self.memory[-1]:.0f} MiB", file=sys.stderr, flush=True)

    def note(self, what, number, text):
        if what in {"lost", "crossed", "unchecked"} and len(self.examples) < 5:
            self.examples.append(f"{what}: {number}: {text[:300]}")

    async def ask(self, http, number):
        """One request, and what came of it."""
        stream = number % 2 == 1
        fate = {0: HANGS, 100: BREAKS}.get(number % 200) or (LEAVES if number % 40 == 1 else "none")
        body = {
            "model": "m",
            "stream": stream,
            "messages": [{"role": "user", "content": f"{number} {fate}"}],
            "guardrail": {"passages": [PASSAGE]},
        }
        text = ""
        async with http.stream("POST", self.url, json=body) as reply:
            async for piece in reply.aiter_text():
                text += piece
                if fate == LEAVES:
                    return "left"
        if fate in {HANGS, BREAKS}:
            what = "failed as it should" if reply.status_code in {502, 504} else "lost"
        elif reply.status_code != 200 or (stream and not text.rstrip().endswith("[DONE]")):
            what = "lost"
        else:
            what = self.answer(number, text)
        self.note(what, number, f"{reply.status_code} {text}")
        return what

    @staticmethod
    def answer(number, text):
        """Whether a client got its own checked answer."""
        if "is wrong" in said(text):
            return "unchecked"
        if set(re.findall(r"Dam (\d+) was closed on 4 May 2021\.", said(text))) != {str(number)}:
            return "crossed" if re.search(r"Dam \d", said(text)) else "lost"
        return "answered"


def said(text):
    """The answer's text in a reply, whole or streamed."""
    if not re.search(r"^data: ", text, re.MULTILINE):
        return json.loads(text)["choices"][0]["message"]["content"] or ""
    chunks = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data: {")]
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk.get("choices", ()))


async def measured(process, port, requests, at_once, seconds):
    """All requests, as far as they come in that time; SIGTERM when most are done, or when time is up."""
    load = Load(port, requests, seconds)
    clients = [asyncio.ensure_future(load.client(process)) for _ in range(at_once)]
    began = time.perf_counter()
    await asyncio.wait([asyncio.ensure_future(load.most_done.wait()), *clients], return_when=asyncio.FIRST_COMPLETED)
    rate = sum(load.seen.values()) / (time.perf_counter() - began)
    page = (await httpx.AsyncClient().get(f"http://127.0.0.1:{port}/metrics")).text
    load.stopping = True
    process.send_signal(signal.SIGTERM)
    _, hanging = await asyncio.wait(clients, timeout=LAST)
    for client in hanging:
        load.seen["lost"] += 1
        load.note("lost", -1, "no reply at all")
        client.cancel()
    return load, rate, page


def idle():
    """An event loop with nothing to do; at the end of its input it prints the share of beats within 20 ms."""
    late = []

    async def beat():
        while True:
            due = time.perf_counter() + 0.05
            await asyncio.sleep(0.05)
            late.append(time.perf_counter() - due)

    async def main():
        beating = asyncio.create_task(beat())
        await asyncio.to_thread(sys.stdin.read)
        beating.cancel()

    asyncio.run(main())
    print(sum(each <= 0.02 for each in late) / max(1, len(late)))


def heartbeat(page):
    """Share of beats of the event loop within 20 ms."""
    found = re.findall(r'guardrail_service_lag_seconds_bucket\{.*?le="([^"]+)".*?\} (\S+)', page)
    counts = {float(bound): float(count) for bound, count in found}
    return counts.get(0.02, 0.0) / max(counts.values(), default=1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=1_200.0, help="after which no new request is sent")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        asyncio.run(upstream()) if given.part == "upstream" else idle()
        return
    behind = subprocess.Popen([sys.executable, __file__, "--part", "upstream"], stdout=subprocess.PIPE, text=True)
    try:
        address = f"http://127.0.0.1:{behind.stdout.readline().strip()}/v1"
        with tempfile.TemporaryDirectory() as folder:
            process, port, log = served(address, Path(folder))
            beside = subprocess.Popen(
                [sys.executable, __file__, "--part", "idle"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            try:
                load, rate, page = asyncio.run(measured(process, port, given.requests, given.at_once, given.seconds))
                code = process.wait(LAST)
                alone = float(beside.communicate(timeout=LAST)[0])
            finally:
                beside.kill()
                process.kill()
            errors = [line for line in log.read_text().splitlines() if "Traceback" in line]
    finally:
        behind.kill()
    cuts = quantiles(load.took, n=20)
    found = {
        **{name: load.seen[name] for name in ("lost", "crossed", "unchecked")},
        **{name: load.seen[name] for name in ("answered", "failed as it should", "left", "refused")},
        "requests a second": round(rate, 1),
        "p50, ms": round(cuts[9] * 1e3, 1),
        "p95, ms": round(cuts[18] * 1e3, 1),
        "heartbeat within 20 ms": round(heartbeat(page), 4),
        "heartbeat of an idle process": round(alone, 4),
        "memory by twentieths, MiB": [round(each) for each in load.memory],
        "exit code after SIGTERM": code,
        "tracebacks in the log": len(errors),
    }
    print(json.dumps(found, indent=1) if given.json else "\n".join(f"{name}: {value}" for name, value in found.items()))
    print(*load.examples, sep="\n", file=sys.stderr)
    sys.exit(bool(load.seen["lost"] + load.seen["crossed"] + load.seen["unchecked"] + len(errors)))


if __name__ == "__main__":
    main()
