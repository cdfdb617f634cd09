"""A guarded RAG service goes wrong half way, and Prometheus calls for help: the whole story in about a minute.

    make monitor-demo
    .venv/bin/python examples/monitoring/run.py --stay

A document index is refreshed with chunks that are far too short; the model makes up what its passages lack. The alert
fires, the labels name the index and the topic, the record store shows the worst answers, and the index is rolled back.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import story
from exposition import Exposition
from http_calls import post
from model import model_server
from prometheus_server import MISSING, Prometheus, prometheus, running
from reading import Alert, Reading
from traffic import Traffic

from guardrail.monitor import write_files

ALERT = "GuardrailHallucinationsAboveBaseline"
GOOD = {"name": "2026-11-01"}
BAD = {"name": "2026-11-22", "chunk_refreshed": 60}
_ENOUGH = 120
"""Answers that the alert's baseline has to hold: the rule asks for 100."""

_CALM = 4800.0
"""Seconds before the refresh where there is no Prometheus, divided by the pace."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Story:
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

    def index(self, index: dict[str, object]) -> None:
        """Put an index to work."""
        print(f"      >>>  index {post(f'{self.service}/index', index)['index']} goes live", flush=True)


def main() -> int:
    """Read the command line and tell the story; 0 where the alert fired, 1 where it did not, 2 without Prometheus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, help="keep all files in this folder (default: a temporary one)")
    parser.add_argument("--rate", type=float, default=8, help="questions per second (default: %(default)s)")
    parser.add_argument("--pace", type=float, default=240, help="how much faster than in production the windows of the "
                        "rules pass (default: %(default)s, an hour in 15 seconds)")  # fmt: skip
    parser.add_argument("--stay", action="store_true", help="keep all running at the end, until Ctrl-C")
    parser.add_argument("--png", type=Path, help="draw the dashboard as the alert fires (needs matplotlib)")
    parser.add_argument("--without-prometheus", action="store_true", help="show the rates of /metrics; no alerts")
    given = parser.parse_args()
    if not given.without_prometheus and shutil.which("prometheus") is None:
        print(MISSING, file=sys.stderr)
        return 2
    if given.dir and given.dir.is_dir() and any(given.dir.iterdir()):
        print(f"{given.dir} is not empty. Name another folder.", file=sys.stderr)
        return 2
    for number in _SIGNALS:
        signal.signal(number, _stop)
    try:
        with ExitStack() as stack:
            return tell(given, stack)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except (OSError, RuntimeError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1


def tell(given: argparse.Namespace, stack: ExitStack) -> int:
    """Start everything, let it go wrong, show what is seen; ``stack`` ends what was started."""
    folder = given.dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="guardrail-")))
    folder.mkdir(parents=True, exist_ok=True)
    told = start(given, folder, stack)
    stack.callback(_take_no_signals)

    told.watch_until(lambda _: told.knows_normal(), 60)
    told.index(BAD)
    refreshed = time.monotonic()
    if isinstance(told.watch, Exposition):
        seen = told.watch_until(lambda reading: (reading.unfaithful or 0) > 0.15, 30)
        fired = None
    else:
        seen = told.watch_until(lambda reading: firing(reading) is not None, 30)
        fired = firing(seen) if seen else None
    if seen is None:
        sys.stdout.flush()
        print("the rate did not rise" if given.without_prometheus else f"{ALERT} did not fire", file=sys.stderr)
        return 1

    if fired:
        print(f"\nThe alert fires, {time.monotonic() - refreshed:.0f} s after the refresh:\n\n{story.alert(fired)}")
    print(f"\nWhich one is it? Unfaithful answers by topic and index:\n\n{story.slices(told.watch.answers())}")
    print("\nThe worst three, with their evidence:\n")
    show_worst(told.records)
    if given.png:
        draw(told, given.png, refreshed)
    print("The passages are cut off: the new index holds chunks that are far too short. Back to the old one.\n")
    told.index(GOOD)
    if fired:
        resolved = told.watch_until(lambda reading: firing(reading) is None, 40)
        print("\nThe alert is resolved." if resolved else "\nThe alert still fires.")
    if given.stay:
        stay(told, folder)
    return 0


def start(given: argparse.Namespace, folder: Path, stack: ExitStack) -> Story:
    """Model, service, Prometheus and traffic, each ended by ``stack``."""
    model = stack.enter_context(model_server())
    records = folder / "records.db"
    command = [sys.executable, str(_HERE / "service.py"), "--model-url", model.base_url, "--records", str(records)]
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
    return Story(where["url"], watch, records, given.pace, time.monotonic())


def firing(reading: Reading) -> Alert | None:
    """The alert of the story, if it fires."""
    return next((alert for alert in reading.alerts if alert.name == ALERT and alert.state == "firing"), None)


def show_worst(records: Path) -> None:
    """What ``guardrail monitor worst`` prints."""
    command = ["monitor", "worst", str(records), "-n", "3", "--label", f"index={BAD['name']}"]
    print(f"$ guardrail {' '.join(command)}", flush=True)
    width = {} if sys.stdout.isatty() else {"COLUMNS": str(story.WIDTH)}
    subprocess.run([sys.executable, "-m", "guardrail.cli.main", *command], check=True, env={**os.environ, **width})  # noqa: S603


def draw(told: Story, png: Path, refreshed: float) -> None:
    """The dashboard as an image: what is since the refresh, against what was before."""
    now = time.monotonic()
    command = [sys.executable, str(_HERE / "panels.py"), "--prometheus", told.watch.url, "--out", str(png)]
    times = {"window": now - refreshed, "baseline": refreshed - told.began}
    chosen = [part for name, seconds in times.items() for part in ("--set", f"{name}={seconds:.0f}s")]
    print(flush=True)
    subprocess.run([*command, "--since", f"{now - told.began:.0f}s", *chosen], check=False)  # noqa: S603


def stay(told: Story, folder: Path) -> None:
    """Wait for Ctrl-C."""
    print(f"\nAll is still running, in {folder}; Ctrl-C ends it. Look at {told.watch.url}")
    if isinstance(told.watch, Prometheus):
        print(f"For Grafana: this Prometheus as data source, and {folder / 'monitor' / 'grafana' / 'guardrail.json'}")
    while True:
        time.sleep(1)


def _stop(*_: object) -> None:
    _take_no_signals()
    raise KeyboardInterrupt


def _take_no_signals() -> None:
    """While everything is being ended, a second Ctrl-C must not leave half of it behind."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
