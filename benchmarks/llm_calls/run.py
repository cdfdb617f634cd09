"""Calls, rounds, tokens and time of checkers, on one scripted server: ``python benchmarks/llm_calls/run.py``.

See README.md beside this file. A Markdown table goes to standard output.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests.support
sys.path.insert(0, str(Path(__file__).parent))

from clients import TOOLS
from replies import reply

from guardrail.testing import OpenAIServer, Reply, estimate_tokens
from guardrail.testing.chat_reply import Body

CLIENTS = Path(__file__).with_name("clients.py")
ROOT = Path(__file__).parents[2]
QUIET = {
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
}
"""Turns off what the tools would send or fetch."""

RETURNS = {
    "guardrail fast": "all below, evidence, error types",
    "guardrail thorough": "the same, each segment read alone",
    "guardrail paper:face4rag": "facts, logic",
    "guardrail paper:d-factscore": "facts per individual",
    "guardrail paper:refchecker": "E/N/C per claim and passage",
    "ragas Faithfulness": "score",
    "deepeval Faithfulness": "score, reason",
    "deepeval Faithfulness, no reason": "score",
    "RefChecker, list of passages": "E/N/C per claim and passage",
    "RefChecker, one joined reference": "E/N/C per claim",
    "RefChecker, one claim a call": "E/N/C per claim and passage",
}


class Script:
    """The scripted model: counts what it writes, and takes the time that writing takes."""

    def __init__(self, per_second: float | None) -> None:
        self._per_second = per_second
        self._lock = threading.Lock()
        self.written = 0

    def __call__(self, body: Body) -> Reply:
        said = reply(body)
        tokens = estimate_tokens(said.text)
        with self._lock:
            self.written += tokens
        return replace(said, seconds=tokens / self._per_second if self._per_second else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One tool: medians of its runs, and the fastest time, since the latency is fixed and what is above it is noise.

    Tokens are estimates of the server (4 bytes each).
    """

    calls: float
    rounds: float
    read: float
    written: float
    seconds: float
    result: str


def measure(tool: str, python: str, runs: int, latency: float, per_second: float | None) -> Measured:
    """Runs of one tool in its own process, after one for warming up.

    Raises:
        RuntimeError: the tool did not come to an end; the message is the end of what it printed.
    """
    script = Script(per_second)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]) if tool.startswith("guardrail") else ""
    environment = os.environ | QUIET | {"PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    found = []
    with (
        OpenAIServer(script, seconds=latency, models=("gpt-4o-mini",)) as server,
        subprocess.Popen(
            [python, str(CLIENTS), tool, server.base_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        ) as client,
    ):
        assert client.stdin is not None
        assert client.stdout is not None
        assert client.stderr is not None
        noise: list[str] = []
        listener = threading.Thread(target=noise.extend, args=(client.stderr,), daemon=True)
        listener.start()
        if not client.stdout.readline():
            listener.join()
            raise RuntimeError("".join(noise)[-1500:])
        for _ in range(runs):
            server.reset()
            script.written = 0
            client.stdin.write("go\n")
            client.stdin.flush()
            line = client.stdout.readline()
            if not line:
                listener.join()
                raise RuntimeError("".join(noise)[-1500:])
            said = json.loads(line)
            counts = (server.call_count, server.rounds, server.tokens, script.written)
            found.append((*counts, said["seconds"], said["result"]))
        client.stdin.close()
        client.wait()
        listener.join()
    calls, rounds, read, written, seconds, results = zip(*found, strict=True)
    middle = statistics.median
    return Measured(
        calls=middle(calls),
        rounds=middle(rounds),
        read=middle(read),
        written=middle(written),
        seconds=min(seconds),
        result=results[-1],
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.5, help="seconds of each reply")
    parser.add_argument("--tokens-per-second", type=float, help="what is written costs this time beside the latency")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers", help="python of the environment with the peers; without it only ours are measured")
    parser.add_argument("--only", help="tools whose name holds this")
    arguments = parser.parse_args()
    speed = arguments.tokens_per_second
    print(f"latency {arguments.latency} s per call" + (f", {speed:g} tokens per second" if speed else "") + "\n")
    print("| tool | returns | calls | rounds | tokens read | tokens written | seconds | found |")
    print("| --- | --- | --: | --: | --: | --: | --: | --- |")
    for tool in TOOLS:
        ours = tool.startswith("guardrail")
        if (arguments.only and arguments.only not in tool) or not (ours or arguments.peers):
            continue
        try:
            python = sys.executable if ours else arguments.peers
            row = measure(tool, python, arguments.runs, arguments.latency, speed)
        except RuntimeError as error:
            print(f"{tool}: {error}", file=sys.stderr)
            continue
        counts = " | ".join(f"{number:.0f}" for number in (row.calls, row.rounds, row.read, row.written))
        print(f"| {tool} | {RETURNS[tool]} | {counts} | {row.seconds:.2f} | {row.result} |", flush=True)


if __name__ == "__main__":
    main()
