"""What the proxy of the service adds to a request, in milliseconds.

    python benchmarks/proxy.py [--requests 400] [--json]

An upstream that answers at once, the service and the client are three processes. Requests go to the upstream itself
and through the service in turns, over kept connections, one at a time; "added" is the difference of the medians (of the
95th percentiles). "CPU" is what the service's process spends on a request: unlike the times it depends little on how
busy the machine is. Rows: no check at all (no passages, ``without_passages: skip``), and an engine that does nothing,
so that only the decomposition of the answer and the policy are added; each as a whole answer and as a stream of a word
per chunk, until its last byte; the last row is a stream of a hundred sentences, in paragraphs of five, for one in 40
of the requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median, quantiles

import httpx

PASSAGES = [
    "Larkmoor Dam was closed to visitors on 4 May 2021 after divers found a crack in the spillway gate.",
    "The repair took eleven weeks and cost 2.3 million euros.",
]
ANSWER = "Larkmoor Dam was closed to visitors on 4 May 2021. The repair took eleven weeks and cost 2.3 million euros."
HEAD = {"id": "c", "created": 0, "model": "m"}
WHOLE = json.dumps(
    HEAD
    | {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 60, "completion_tokens": 24, "total_tokens": 84},
    }
).encode()


def _events(answer):
    deltas = [{"role": "assistant", "content": ""}, *({"content": word + " "} for word in answer.split(" ")), {}]
    for number, delta in enumerate(deltas):
        end = "stop" if number == len(deltas) - 1 else None
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        yield f"data: {json.dumps(HEAD | {'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"
    yield "data: [DONE]\n\n"


STREAM = "".join(_events(ANSWER)).encode()
SENTENCE = "The repair of gate {} took eleven weeks and cost 2.3 million euros, said Mr. Lark of Larkmoor Dam Ltd."
LONG = "".join(SENTENCE.format(number) + ("\n\n" if number % 5 == 0 else " ") for number in range(1, 101))
LONG_STREAM = "".join(_events(LONG)).encode()


async def upstream():
    """Answers at once, whatever is asked."""

    async def answer(reader, writer):
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            body = await reader.readexactly(int(length.split(b":")[1]))
            kind, text = (b"text/event-stream", STREAM) if b'"stream":true' in body else (b"application/json", WHOLE)
            text = LONG_STREAM if b'"model":"long"' in body else text
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind, len(text)) + text
            )
            await writer.drain()

    async def connected(reader, writer):
        try:
            await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def service(address, skips):
    """The service before it."""
    import uvicorn

    from guardrail.service import Settings, create_app

    settings = Settings(
        guards={"default": {"engine": "python:guardrail.testing:FakeEngine"}},
        upstreams={"main": {"url": address}},
        proxy={"without_passages": "skip" if skips else "check"},
    )

    class Told(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            print(self.servers[0].sockets[0].getsockname()[1], flush=True)

    Told(uvicorn.Config(create_app(settings), port=0, log_level="critical")).run()


def started(*arguments):
    """A process of this file, and the address that it listens on."""
    process = subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)
    return process, f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"


def cpu_seconds(process):
    """Of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def asked(client, address, body):
    """Milliseconds until the last byte."""
    began = time.perf_counter()
    with client.stream("POST", f"{address}/chat/completions", content=body) as reply:
        reply.raise_for_status()
        for _ in reply.iter_raw():
            pass
    return (time.perf_counter() - began) * 1_000


def measured(direct, through, process, body, requests):
    """Medians and 95th percentiles, in turns."""
    times = {direct: [], through: []}
    with httpx.Client() as client:
        for address in (direct, through) * min(20, requests):
            asked(client, address, body)
        before = cpu_seconds(process)
        for _ in range(requests):
            for address, seen in times.items():
                seen.append(asked(client, address, body))
        used = cpu_seconds(process) - before
    p50 = {address: median(seen) for address, seen in times.items()}
    p95 = {address: quantiles(seen, n=20)[-1] for address, seen in times.items()}
    return {
        "direct_p50_ms": p50[direct],
        "through_p50_ms": p50[through],
        "added_p50_ms": p50[through] - p50[direct],
        "added_p95_ms": p95[through] - p95[direct],
        "cpu_ms": used / requests * 1_000,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        if given.part[0] == "upstream":
            asyncio.run(upstream())
        else:
            service(given.part[1], given.part[2] == "skip")
        return
    rows = []
    behind, direct = started("--part", "upstream")
    try:
        for name, skips in (("no check", "skip"), ("engine that does nothing", "check")):
            process, through = started("--part", "service", direct, skips)
            try:
                context = (
                    "\n".join(f"[{n}] {p}" for n, p in enumerate(PASSAGES, 1)) if skips == "check" else "Be brief."
                )
                messages = [{"role": "system", "content": context}, {"role": "user", "content": "When was it closed?"}]
                replies = {"whole": given.requests, "stream": given.requests, "long stream": given.requests // 40}
                for reply, requests in replies.items():
                    model = "long" if reply == "long stream" else "m"
                    asks = {"model": model, "messages": messages, "stream": reply != "whole"}
                    body = json.dumps(asks, separators=(",", ":")).encode()
                    row = measured(direct, through, process, body, max(2, requests))
                    rows.append({"check": name, "reply": reply, **row})
            finally:
                process.terminate()
                process.wait()
    finally:
        behind.terminate()
        behind.wait()
    if given.json:
        print(json.dumps(rows, indent=1))
        return
    print("| check | reply | direct p50 | through p50 | added p50 | added p95 | CPU of the service |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        numbers = [f"{row[key]:.1f}" for key in list(row)[2:]]
        print(f"| {row['check']} | {row['reply']} | {' | '.join(numbers)} |")


if __name__ == "__main__":
    main()
