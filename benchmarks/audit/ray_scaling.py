"""How much quicker two actors of a Ray cluster judge than one: ``python benchmarks/audit/ray_scaling.py``.

Nodes are processes of this machine. The engine waits (``--seconds`` an answer) as one does whose model runs elsewhere,
so that two cores are enough for two actors. Counted is the engine's part: from the first batch to the last.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster as Nodes

from guardrail.audit import Cluster, audit
from guardrail.testing import FakeEngine


def rate(log, out, address, workers, seconds):
    """Answers a second from the first commit to the last."""
    seen = []
    audit(log, out, engine=FakeEngine(seconds=seconds), batch=16, ray=Cluster(address=address, workers=workers),
          progress=lambda done: seen.append((time.monotonic(), done.judged)))  # fmt: skip
    seen = [one for one in seen if one[1]]
    return (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])


def main():
    """See the top."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.1)
    given = parser.parse_args()
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        rows = ({"id": n, "answer": f"Valve {n} closes at night.", "passages": [f"Valve {n} closes at night."]}
                for n in range(given.answers))  # fmt: skip
        log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        rates = [rate(log, Path(folder) / str(n), nodes.address, n, given.seconds) for n in (1, 2)]
    print(f"one actor {rates[0]:.1f}, two {rates[1]:.1f} answers a second: {rates[1] / rates[0]:.2f} times; "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    ray.shutdown()
    nodes.shutdown()


if __name__ == "__main__":
    main()
