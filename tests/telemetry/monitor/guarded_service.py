"""A guarded service for test_prometheus.py, as a process of its own: an SDK can be set up only once per process.

It prints the port of its /metrics, then checks answers until its standard input is closed. Of each model's answers one
in 25 is unfaithful; after a line on standard input every second one of model "new".
"""

from __future__ import annotations

import sys
import threading
import time
from itertools import count

from guardrail import Guard
from guardrail.telemetry import Telemetry, labels
from guardrail.telemetry.monitor import serve_metrics
from guardrail.testing import FakeEngine

PASSAGES = ["The Rhine flows through Basel."]


def main() -> None:
    """See above."""
    worse, ended = threading.Event(), threading.Event()

    def listen() -> None:
        sys.stdin.readline()
        worse.set()
        sys.stdin.read()
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    guard = Guard(engine=FakeEngine({"Paris": "unsupported"}), telemetry=Telemetry(labels={"application": "rivers"}))
    with serve_metrics(0) as served:
        sys.stdout.write(f"{served.port}\n")
        sys.stdout.flush()
        for n in count():
            if ended.is_set():
                return
            model = ("old", "new")[n % 2]
            wrong = n // 2 % 25 == 0 or (worse.is_set() and model == "new" and n // 2 % 2 == 0)
            with labels(model=model):
                guard.run("The Rhine flows through Paris." if wrong else "The Rhine flows through Basel.", PASSAGES)
            time.sleep(0.02)


main()
