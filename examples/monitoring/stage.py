"""What the story is played on: a model, the service, Prometheus and users, and what can be seen and done there."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import story
from exposition import Exposition
from http_calls import post
from model import model_server
from prometheus_server import Prometheus, prometheus, running
from reading import Reading
from traffic import Traffic

from guardrail.telemetry.monitor import write_files

_ENOUGH = 120
"""Answers that the alert's baseline has to hold: the rule asks for 100."""

_CALM = 4800.0
"""Seconds before the refresh where there is no Prometheus, divided by the pace."""

_SERVICE = Path(__file__).parent / "service.py"


@dataclass(frozen=True)
class Stage:
    """The service, who watches it, and where its records are."""

    service: str
    watch: Prometheus | Exposition
    records: Path
    pace: float
    began: float

    def watch_until(self, over: Callable[[Reading], bool], seconds: float) -> Reading | None:
        """Print a line every few seconds until ``over``; None where that does not come within ``seconds``."""
        until, shown = time.monotonic() + seconds, 0.0
        while time.monotonic() < until:
            reading = self.watch.now()
            done = over(reading)
            if done or time.monotonic() - shown >= 3:
                shown = time.monotonic()
                print(story.line(shown - self.began, reading), flush=True)
            if done:
                return reading
            time.sleep(0.5)
        return None

    def knows_normal(self) -> bool:
        """Whether there were answers enough for the alert to compare with."""
        if isinstance(self.watch, Exposition):
            return time.monotonic() - self.began > _CALM / self.pace
        judged = f"application:guardrail_answers_judged:increase1h[{86400 / self.pace:g}s:{3600 / self.pace:g}s]"
        found = self.watch.query(f"sum_over_time({judged})")
        return bool(found) and found[0][1] >= _ENOUGH

    def index(self, index: Mapping[str, object]) -> None:
        """Put an index to work."""
        print(f"      >>>  index {post(f'{self.service}/index', {**index})['index']} goes live", flush=True)


def start(given: argparse.Namespace, folder: Path, stack: ExitStack) -> Stage:
    """Model, service, Prometheus and traffic, each ended by ``stack``."""
    model = stack.enter_context(model_server())
    records = folder / "records.db"
    command = [sys.executable, str(_SERVICE), "--model-url", model.base_url, "--records", str(records)]
    env = {**os.environ, "no_proxy": "127.0.0.1"}  # a proxy is for the model of a real service
    process = stack.enter_context(running(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)))  # noqa: S603
    where = json.loads(process.stdout.readline() or "{}") if process.stdout else {}
    if not where:
        raise RuntimeError("the service did not start")
    print(f"service     {where['url']}\nmetrics     {where['metrics']}")
    watch: Prometheus | Exposition = Exposition(where["metrics"])
    if not given.without_prometheus:
        write_files(folder / "monitor", targets=[where["metrics"].split("/")[2]], pace=given.pace)
        watch = stack.enter_context(prometheus(folder / "monitor", folder / "data"))
        watch.wait_for('up{job="guardrail"} == 1 unless on () ALERTS{alertname="GuardrailDown"}')
        print(f"prometheus  {watch.url}/alerts  (an hour of its rules passes in {3600 / given.pace:g} s)")
    print()
    stack.enter_context(Traffic(where["url"], rate=given.rate))
    return Stage(where["url"], watch, records, given.pace, time.monotonic())
