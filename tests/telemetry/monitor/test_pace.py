"""The same rules, only faster."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.telemetry.monitor import write_files
from guardrail.telemetry.monitor.pace import paced, paced_query
from tests.support.monitor_files import SHIPPED


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rate(x[5m])", "rate(x[5s])"),
        ("sum_over_time(x[1d:1h] offset 1h)", "sum_over_time(x[1440s:60s] offset 60s)"),
        ("x offset 23h30m", "x offset 1410s"),
        ("rate(x[45s])", "rate(x[4s])"),
        ("rate(x[11m30s])", "rate(x[11500ms])"),
        ("a:x:increase1h > 5 * 1e3 + 0x5d - 0.5", "a:x:increase1h > 5 * 1e3 + 0x5d - 0.5"),
        ("""x{a="5m",b='1h',c=`2d`}[5m]""", """x{a="5m",b='1h',c=`2d`}[5s]"""),
        (r'x{a="\"5m"}[5m]', r'x{a="\"5m"}[5s]'),
        ("x[5m] # over 5m\n+ y[5m]", "x[5s] # over 5m\n+ y[5s]"),
    ],
)
def test_only_durations_of_queries_are_divided(query, expected):
    """By 60; names, numbers, strings and comments stay, and no window is under 4 s."""
    assert paced_query(query, 60) == expected


YAML = """
global: {scrape_interval: 15s, scrape_timeout: 10s} # every 15s
groups:
  - name: 5m
    interval: 1m
    rules:
      - alert: A # for: 1h
        expr: |
          rate(x[1h]) # 1h
            > 5
        for: "10m"
        annotations: {summary: 'for 10m', description: "5m [5m]"}
"""


def test_only_durations_of_a_file_are_divided():
    """Comments, annotations and layout stay."""
    assert paced(YAML, 60) == (
        YAML.replace("scrape_interval: 15s", "scrape_interval: 1s")
        .replace("scrape_timeout: 10s", "scrape_timeout: 1s")
        .replace("interval: 1m", "interval: 1s")
        .replace("x[1h]", "x[60s]")
        .replace('"10m"', '"10s"')
    )


@settings(max_examples=25)
@given(st.sampled_from(["guardrail.rules.yml", "guardrail.alerts.yml", "prometheus.yml"]), st.floats(0.01, 2000))
def test_the_rules_are_the_same_at_any_pace(name, pace):
    """Only durations differ, and by as much as they should."""
    before, after = (SHIPPED / name).read_text(), paced((SHIPPED / name).read_text(), pace)
    assert re.sub(DURATION, "D", after) == re.sub(DURATION, "D", before)
    for (was,), (now,) in zip(_durations(before), _durations(after), strict=True):
        assert now == was or now == pytest.approx(max(was / pace, 0), abs=0.0006) or now in {1, 4}


def test_all_delays_of_alerts_are_divided(tmp_path):
    """Before they fire, and after."""
    write_files(tmp_path, pace=60)
    seconds = {"5m": "5s", "10m": "10s", "15m": "15s", "30m": "30s", "1h": "60s", "2m": "2s", None: None}
    pairs = zip(_alerts(SHIPPED), _alerts(tmp_path), strict=True)
    for was, now in pairs:
        assert [now.get(key) for key in ("for", "keep_firing_for")] == [
            seconds[was.get(key)] for key in ("for", "keep_firing_for")
        ], was["alert"]


def _alerts(folder):
    groups = yaml.safe_load((folder / "guardrail.alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


DURATION = r"(?<![\w.])(?:\d+(?:ms|[smhdwy]))+\b"


def _durations(text):
    units = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}
    for match in re.finditer(DURATION, text):
        yield (sum(int(n) * units[unit] for n, unit in re.findall(r"(\d+)(ms|[smhdwy])", match[0])),)
