"""Rates estimated from what was kept."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from guardrail.cli.main import app
from guardrail.telemetry.records import RecordStore


def test_rates_are_those_of_all_answers_not_of_the_kept_ones(path, outcome):
    with RecordStore(path, sample=0.2, queue=5000) as store:
        for n in range(1000):
            store.record(outcome("supported", 0.9, answer=str(n), labels={"model": "b"}, ident=f"f{n:031x}"))
        for n in range(100):
            store.record(outcome("contradicted", answer=str(n), labels={"model": "b" if n < 40 else "a"}))
        assert store.flush()
        counts = store.counts
        found = store.stats()
    assert counts["written"] + counts["sampled_out"] == 1100
    assert found.records == counts["written"] < 400
    by_verdict = {rate.verdict: rate for rate in found.verdicts}
    assert by_verdict["contradicted"].answers == 100
    assert by_verdict["supported"].answers == pytest.approx(1000, rel=0.2)  # standard deviation 6 %
    assert by_verdict["contradicted"].share == pytest.approx(100 / found.answers)
    labels = {(rate.key, rate.value): rate for rate in found.labels}
    assert labels["model", "a"].verdicts[0].share == 1.0
    assert labels["model", "b"].verdicts[1].answers == 40
    assert found.sampled
    assert found.complete_since is None


def test_no_rates_of_what_was_pruned_by_number(path, outcome):
    with RecordStore(path, sample=1.0, days=None) as store:
        store.record(outcome("contradicted", at=1.0))
        store.record(outcome("supported", at=2.0))
        store.flush()
        assert store.prune(max_records=1) == 1
        assert (store.stats().records, store.stats().complete_since, store.count()) == (0, 2.0, 1)
    shown = CliRunner().invoke(app, ["monitor", "stats", str(path)]).output
    assert "no records" in shown
    assert "older ones were pruned by number" in shown


def test_no_sample_is_said(path, outcome):
    with RecordStore(path, sample=0.0) as store:
        store.record(outcome("supported"))
        store.record(outcome("contradicted"))
        store.flush()
        assert store.counts == {"sampled_out": 1, "written": 1}
        assert not store.stats().sampled
