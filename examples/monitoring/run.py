"""A guarded RAG service goes wrong half way, and Prometheus calls for help: the whole story in about a minute.

    make monitor-demo
    .venv/bin/python examples/monitoring/run.py --stay

A document index is refreshed with chunks that are far too short; the model makes up what its passages lack. The alert
fires, the labels name the index and the topic, the record store shows the worst answers, and the index is rolled back.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import story
from exposition import Exposition
from prometheus_server import MISSING, Prometheus
from reading import Alert, Reading
from stage import Stage, start

from guardrail import GuardrailError

ALERT = "GuardrailHallucinationsAboveBaseline"
GOOD = {"name": "2026-11-01"}
BAD = {"name": "2026-11-22", "chunk_refreshed": 60}
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HERE = Path(__file__).parent


def main() -> int:
    """Read the command line and tell the story; 0 where the alert fired, 1 where it did not, 2 without Prometheus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, help="keep all files in this folder (default: a temporary one)")
    parser.add_argument("--rate", type=_positive, default=8, help="questions per second (default: %(default)s)")
    parser.add_argument("--pace", type=_positive, default=240, help="how often the windows of the rules fit into those "
                        "of production (default: %(default)s, an hour in 15 seconds)")  # fmt: skip
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
    except (OSError, RuntimeError, subprocess.CalledProcessError, GuardrailError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1


def tell(given: argparse.Namespace, stack: ExitStack) -> int:
    """Start everything, let it go wrong, show what is seen; ``stack`` ends what was started."""
    folder = given.dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="guardrail-")))
    folder.mkdir(parents=True, exist_ok=True)
    stage = start(given, folder, stack)
    stack.callback(_take_no_signals)

    stage.watch_until(lambda _: stage.knows_normal(), 60)
    stage.index(BAD)
    refreshed = time.monotonic()
    if isinstance(stage.watch, Exposition):
        seen = stage.watch_until(lambda reading: (reading.unfaithful or 0) > 0.15, 30)
        fired = None
    else:
        seen = stage.watch_until(lambda reading: firing(reading) is not None, 45)
        fired = firing(seen) if seen else None
    if seen is None:
        sys.stdout.flush()
        print("the rate did not rise" if given.without_prometheus else f"{ALERT} did not fire", file=sys.stderr)
        return 1

    if fired:
        print(f"\nThe alert fires, {time.monotonic() - refreshed:.0f} s after the refresh:\n\n{story.alert(fired)}")
    print(f"\nWhich one is it? Unfaithful answers by topic and index:\n\n{story.slices(stage.watch.answers())}")
    print("\nThe worst three, with their evidence:\n")
    show_worst(stage.records)
    if given.png:
        draw(stage, given.png, refreshed)
    print("The passages are cut off: the new index holds chunks that are far too short. Back to the old one.\n")
    stage.index(GOOD)
    if fired:
        resolved = stage.watch_until(lambda reading: firing(reading) is None, 40)
        print("\nThe alert is resolved." if resolved else "\nThe alert still fires.")
    if given.stay:
        stay(stage, folder)
    return 0


def firing(reading: Reading) -> Alert | None:
    """The alert of the story, if it fires."""
    return next((alert for alert in reading.alerts if alert.name == ALERT and alert.state == "firing"), None)


def show_worst(records: Path) -> None:
    """What ``guardrail monitor worst`` prints."""
    command = ["monitor", "worst", str(records), "-n", "3", "--label", f"index={BAD['name']}"]
    print(f"$ guardrail {' '.join(command)}", flush=True)
    width = {} if sys.stdout.isatty() else {"COLUMNS": str(story.WIDTH)}
    subprocess.run([sys.executable, "-m", "guardrail.cli.main", *command], check=True, env={**os.environ, **width})  # noqa: S603


def draw(stage: Stage, png: Path, refreshed: float) -> None:
    """The dashboard as an image: what is since the refresh, against what was before."""
    now = time.monotonic()
    command = [sys.executable, str(_HERE / "panels.py"), "--prometheus", stage.watch.url, "--out", str(png)]
    times = {"window": now - refreshed, "baseline": refreshed - stage.began}
    chosen = ["--set", "by=topic,index"]
    chosen += [part for name, seconds in times.items() for part in ("--set", f"{name}={seconds:.0f}s")]
    print(flush=True)
    subprocess.run([*command, "--since", f"{now - stage.began:.0f}s", *chosen], check=False)  # noqa: S603


def stay(stage: Stage, folder: Path) -> None:
    """Wait for Ctrl-C."""
    print(f"\nAll is still running, in {folder}; Ctrl-C ends it. Look at {stage.watch.url}")
    if isinstance(stage.watch, Prometheus):
        print(f"For Grafana: this Prometheus as data source, and {folder / 'monitor' / 'grafana' / 'guardrail.json'}")
    while True:
        time.sleep(1)


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def _stop(*_: object) -> None:
    _take_no_signals()
    raise KeyboardInterrupt


def _take_no_signals() -> None:
    """While everything is being ended, a second Ctrl-C must not leave half of it behind."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
