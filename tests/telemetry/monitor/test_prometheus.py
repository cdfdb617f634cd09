"""The real parts together: a guard, OpenTelemetry's exporter, Prometheus with the shipped rules, and its HTTP API."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from guardrail.telemetry.monitor import write_files

pytestmark = pytest.mark.clock

PACE = 900  # the rules' hour is 4 s
RATIO = "application:guardrail_answers_unfaithful:ratio1h"


@pytest.fixture(scope="module")
def service():
    """A guarded service in a process of its own, with ``port`` and ``get_worse()``."""
    command = [sys.executable, str(Path(__file__).with_name("guarded_service.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.port = int(process.stdout.readline())

        def get_worse():
            process.stdin.write("\n")
            process.stdin.flush()

        process.get_worse = get_worse
        yield process
        process.stdin.close()
        process.wait(10)


@pytest.fixture(scope="module")
def watched(service, prometheus, tmp_path_factory):
    """A Prometheus that watches the service."""
    folder = tmp_path_factory.mktemp("monitoring")
    write_files(folder, targets=[f"127.0.0.1:{service.port}"], job="rivers", pace=PACE)
    return prometheus(folder)


def firing(server):
    return {alert["labels"]["alertname"]: alert for alert in server.alerts() if alert["state"] == "firing"}


def test_a_rise_is_seen_and_pages(service, watched):
    """A twenty-fifth of the answers is unfaithful; then every second one of one model's: the alert says which."""
    watched.wait(
        lambda: (watched.value("application:guardrail_answers_judged:increase1d_offset1h") or 0) >= 100,
        seconds=90,
        what="a baseline of 100 answers",
    )
    watched.wait(lambda: 0.02 < (watched.value(RATIO) or 0) < 0.06, seconds=90, what="a rate of one in twenty-five")
    before = watched.value(RATIO)
    assert set(firing(watched)) <= {"GuardrailDown"}  # a busy machine may miss a scrape of 1 s

    rise = time.time()
    service.get_worse()
    name = "GuardrailHallucinationsAboveBaseline"
    alert = watched.wait(lambda: firing(watched).get(name), seconds=90, what=f"{name} firing; {watched.alerts()}")
    assert alert["labels"] == {"alertname": name, "application": "rivers", "job": "rivers", "severity": "page"}
    assert float(alert["value"]) > before + 0.05
    assert "(job rivers, application rivers)" in alert["annotations"]["description"]

    (series,) = watched.query_range(RATIO, rise - 3, time.time(), 1)
    shares = [float(value) for _, value in series["values"]]
    assert shares[-1] > min(shares[0], before) + 0.05  # on a slow machine few answers make a share

    alert = watched.wait(lambda: firing(watched).get("GuardrailSliceUnfaithful"), seconds=90, what="the model is named")
    assert (alert["labels"]["dimension"], alert["labels"]["value"]) == ("model", "new")
    assert alert["annotations"]["summary"].startswith("model new: ")


def test_the_counters_agree_with_what_was_done(watched):
    """Under the contract's names and labels; both models were asked equally often."""
    counts = watched.query("sum by (model, verdict, action, engine, policy) (guardrail_answers_total)")
    assert {frozenset(sample["metric"].items()) for sample in counts} == {
        frozenset({"engine": "fake", "policy": "monitor", "model": model, "verdict": verdict, "action": action}.items())
        for model in ("old", "new")
        for verdict, action in (("supported", "allow"), ("unsupported", "flag"))
    }
    share = watched.value('sum(guardrail_answers_total{model="old"}) / sum(guardrail_answers_total)')
    assert share == pytest.approx(0.5, abs=0.02)


def test_nothing_else_of_the_guard_is_complained_of(watched):
    """The service is up, judges all it checks, and is quick."""
    about_answers = ("GuardrailHallucination", "GuardrailSlice", "GuardrailScoreDrift")

    def others():
        return [name for name in firing(watched) if not name.startswith(about_answers)]

    watched.wait(lambda: not others(), what=f"only alerts about answers; {others()}")


def test_no_rule_fails(watched):
    """Every rule of the folder is evaluated without an error, with real series behind it."""
    rules = [rule for group in watched.get("rules")["groups"] for rule in group["rules"]]
    assert len(rules) > 70
    assert {rule["name"]: rule["lastError"] for rule in rules if rule.get("lastError")} == {}
    assert {rule["health"] for rule in rules} == {"ok"}
