"""The shipped rules: Prometheus takes them, their own tests pass, and every alert is complete, tested and explained."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import Counter, UpDownCounter
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import CollectorRegistry, generate_latest

import guardrail
from guardrail.telemetry.metrics import Instruments
from guardrail.telemetry.monitor import write_files

SHIPPED = files("guardrail.telemetry.monitor") / "files"
DOCS = Path(guardrail.__file__).parents[1] / "docs" / "monitoring.md"
TESTS = ("guardrail.rules.test.yml", "guardrail.alerts.test.yml")


HERE = Path(__file__).parent


def shipped(name):
    return yaml.safe_load((SHIPPED / name).read_text(encoding="utf-8"))


RULES = [
    rule
    for name in ("guardrail.rules.yml", "guardrail.alerts.yml")
    for group in shipped(name)["groups"]
    for rule in group["rules"]
]
ALERTS = {rule["alert"]: rule for rule in RULES if "alert" in rule}


@pytest.mark.parametrize("pace", [1, 7.3, 60, 900, 0.5])
def test_prometheus_takes_the_folder(tmp_path, promtool, pace):
    """At any pace."""
    write_files(tmp_path, pace=pace)
    said = promtool("check", "config", tmp_path / "prometheus.yml")
    assert re.findall(r"(\d+) rules found", said) == [str(len(RULES) - len(ALERTS) - 4), str(len(ALERTS) + 4)]


@pytest.mark.parametrize("name", TESTS)
def test_the_rules_own_tests_pass(tmp_path, promtool, name):
    """Each says all alerts that fire, so silence is tested as well."""
    write_files(tmp_path)
    (tmp_path / name).write_text((HERE / name).read_text(encoding="utf-8"), encoding="utf-8")
    assert "SUCCESS" in promtool("test", "rules", name, cwd=tmp_path)


def test_every_alert_is_seen_firing_by_a_test():
    """A name in a test's expectation, while it is not pending."""
    expected = [
        sample["labels"]
        for name in TESTS
        for case in yaml.safe_load((HERE / name).read_text(encoding="utf-8"))["tests"]
        for check in case["promql_expr_test"]
        for sample in check["exp_samples"]
        if "pending" not in sample["labels"]
    ]
    seen = {alert for labels in expected for alert in re.findall(r'alertname="(\w+)"', labels)}
    assert seen == set(ALERTS)


@pytest.mark.parametrize("name", ALERTS)
def test_every_alert_says_what_to_do(name):
    """Severity, what and how much, where, what next, and a section of the runbook."""
    alert = ALERTS[name]
    assert alert["labels"] == {"severity": alert["labels"]["severity"]}
    assert alert["labels"]["severity"] in {"page", "ticket"}
    assert set(alert["annotations"]) == {"summary", "description", "runbook"}
    said = alert["annotations"]["description"]
    assert "$labels.job" in said
    assert re.search(r"\b[Nn]ext: ", said)
    assert f"`{name}` ({alert['labels']['severity']})" in (SHIPPED / "README.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not DOCS.is_file(), reason="docs/monitoring.md is not beside this package")
@pytest.mark.parametrize("name", ALERTS)
def test_the_runbook_has_the_section(name):
    """The anchor of the alert is a heading of the docs."""
    page, _, anchor = ALERTS[name]["annotations"]["runbook"].partition("#")
    assert page == "docs/monitoring.md"
    headings = re.findall(r"^#+ (.+)$", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_recording_rules_are_named_by_level_metric_and_operation():
    """As Prometheus' own guide asks."""
    names = {rule["record"] for rule in RULES if "record" in rule}
    assert [name for name in names if not re.fullmatch(r"[a-z_]+:[a-z_]+:[a-z0-9_]+", name)] == []


def test_every_metric_that_a_rule_reads_exists():
    """Raw ones come from the guard, by the names that OpenTelemetry's exporter gives them; others from another rule."""
    read = {name for rule in RULES for name in re.findall(r"(?<![\d:])[a-z_][a-z0-9_:]*", _bare(rule["expr"]))}
    raw = {name for name in read if name.startswith("guardrail_")}
    assert len(raw) >= 7
    assert raw <= exported()
    recorded = {name for name in read if ":" in name}
    assert len(recorded) > 40
    assert recorded <= {rule.get("record") for rule in RULES}


def _bare(expr):
    return re.sub(r'"[^"]*"', "", expr)


def exported():
    """Names of all series that a guard and its record store export."""
    registry = CollectorRegistry()
    provider = MeterProvider(metric_readers=[PrometheusMetricReader(registry=registry)])
    for instrument in vars(Instruments(provider)).values():
        instrument.add(1) if isinstance(instrument, (Counter, UpDownCounter)) else instrument.record(1)
    provider.get_meter("guardrail").create_counter("guardrail.records", unit="{record}").add(1)
    text = generate_latest(registry).decode()
    provider.shutdown()
    return set(re.findall(r"^(\w+)", text, flags=re.MULTILINE))
