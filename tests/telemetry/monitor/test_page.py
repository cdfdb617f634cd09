"""Metrics for a /metrics of the service's own. Each case is a process: a MeterProvider can be set once in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.telemetry.monitor.processes import run_python

pytest.importorskip("opentelemetry.exporter.prometheus")
pytestmark = pytest.mark.clock

START = """
from guardrail import Guard
from guardrail.errors import ConfigurationError
from guardrail.telemetry.monitor.page import count_for_page, page
from guardrail.testing import FakeEngine

def counted():
    Guard(engine=FakeEngine()).check("The Rhine flows through Basel.", ["The Rhine flows through Basel."])
    return [line.rpartition(" ")[2] for line in page().decode().splitlines()
            if line.startswith("guardrail_answers_total{")]
"""


def said(code: str, **environment: str) -> list[str]:
    return run_python(START + code, "-W", "error", **environment).stdout.splitlines()


def test_what_guards_count_is_on_the_page_and_a_second_call_changes_nothing() -> None:
    assert said("print(count_for_page(), count_for_page(), counted())") == ["True False ['1.0']"]


def test_a_page_nobody_counts_for_has_no_metrics_of_ours() -> None:
    assert said("print(counted())") == ["[]"]


def test_all_processes_of_a_folder_are_on_one_page(tmp_path: Path) -> None:
    for number in (1, 2):
        found = said("count_for_page(); print(counted())", PROMETHEUS_MULTIPROC_DIR=str(tmp_path))
        assert found == [f"['{number}.0']"]


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code = """
for call in (count_for_page, page):
    try:
        call()
    except ConfigurationError as error:
        print(error)
"""
    found = said(code, PROMETHEUS_MULTIPROC_DIR=str(tmp_path / "file"))
    assert len(found) == 2
    assert all(str(tmp_path / "file") in line for line in found)
