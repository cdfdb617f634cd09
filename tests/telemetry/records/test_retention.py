"""What is kept: a known share of the clean ones, for a time, up to a number; and the rates that follow."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

import pytest
from typer.testing import CliRunner

from guardrail import ConfigurationError, ErrorType
from guardrail.cli.main import app
from guardrail.telemetry.records import RecordStore
from guardrail.telemetry.records.retention import is_sampled, keep_probability

DAY = 86_400


def kept(store):
    return {record.answer for record in store.records()}


def size(path):
    return sum(file.stat().st_size for file in path.parent.iterdir())


def test_a_share_is_drawn_by_id_the_same_everywhere():
    ids = [f"{n:032x}" for n in range(20_000)]
    chosen = {ident for ident in ids if is_sampled(ident, 0.05)}
    assert 900 <= len(chosen) <= 1100  # 1000 expected, standard deviation 31
    assert chosen == {ident for ident in ids if is_sampled(ident, 0.05)}
    assert chosen < {ident for ident in ids if is_sampled(ident, 0.1)}
    assert not any(is_sampled(ident, 0.0) for ident in ids)
    assert all(is_sampled(ident, 1.0) for ident in ids)


@pytest.mark.parametrize(
    ("verdict", "action", "always"),
    [
        ("supported", "allow", False),
        ("abstained", "allow", False),
        ("supported", "annotate", True),  # passages that disagree
        ("contradicted", "allow", True),
        ("unsupported", "flag", True),
        ("unverified", "flag", True),
    ],
)
def test_what_somebody_may_have_to_look_at_is_always_kept(outcome, verdict, action, always):
    given = outcome(verdict, action=action)
    assert keep_probability(given, 0.05, keep_faults=True) == (1.0 if always else 0.05)
    assert keep_probability(given, 0.05, keep_faults=False) == 0.05
    assert keep_probability(outcome("supported", checked_only=True), 0.05, keep_faults=True) == 0.05


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


def test_old_records_go_and_the_file_shrinks(path, outcome):
    with RecordStore(path, sample=1.0, days=None) as store:
        for n in range(300):
            store.record(outcome(answer=f"{n} " + "x" * 2000, at=time.time() - 31 * DAY))
        young = outcome(answer="young", at=time.time() - 29 * DAY)
        store.record(young)
        store.flush()
        store.label(next(store.records()).id, "supported")
        before = size(path)
        assert store.prune() == 0
        assert RecordStore(path, days=30).prune() == 300  # a label does not keep personal data for longer
        assert kept(store) == {"young"}
        assert size(path) < before / 3
        assert store.prune(days=28) == 1
        assert (store.count(), store.get(young.id)) == (0, None)


def test_pruned_texts_are_gone_from_the_disk(path, outcome):
    with RecordStore(path, sample=1.0, days=None) as store:
        for _ in range(20):
            store.record(outcome(answer="Zanzibar " * 50, at=time.time() - 31 * DAY))
        store.flush()
        assert store.prune(days=30) == 20
        assert b"Zanzibar" not in b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_of_too_many_the_clean_go_first_and_the_labelled_last(path, outcome):
    with RecordStore(path, sample=1.0) as store:
        now = time.time()
        for n, verdict in enumerate(["contradicted", "supported", "contradicted", "supported", "unverified"]):
            store.record(outcome(verdict, answer=f"{n} {verdict}", at=now - 100 + n, ident=f"{n:032x}"))
        store.flush()
        store.label(f"{0:032x}", "contradicted")
        assert store.prune(max_records=4) == 1
        assert "1 supported" not in kept(store)
        assert store.stats().complete_since == pytest.approx(now - 99)
        assert store.stats().records == 3  # what is older than the pruned one tells no rates
        assert store.prune(max_records=2) == 2
        assert kept(store) == {"0 contradicted", "4 unverified"}
        assert store.prune(max_records=1) == 1
        assert kept(store) == {"0 contradicted"}


def test_the_writer_prunes_by_number(path, outcome):
    with RecordStore(path, sample=1.0, max_records=50) as store:
        for n in range(200):
            store.record(outcome("supported", answer=str(n), at=time.time() - 200 + n))
        store.flush()
        assert store.count() <= 50
        assert "199" in kept(store)
        assert "0" not in kept(store)


def test_the_writer_prunes_by_age_soon_and_now_and_then(path, outcome, monkeypatch):
    old = [outcome("contradicted", answer=f"old {n}", at=time.time() - 31 * DAY) for n in range(3)]
    with RecordStore(path) as store:
        store.record(old[0])
        store.flush()
        assert kept(store) == set()
        store.record(old[1])
        store.flush()
        assert kept(store) == {"old 1"}
        monkeypatch.setattr(store._writer._disk, "_next_prune", time.monotonic())
        store.record(outcome(answer="young"))
        store.flush()
        assert kept(store) == {"young"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sample": 1.5}, "sample must be within 0..1, got 1.5"),
        ({"sample": True}, "sample"),
        ({"days": 0}, "days must be positive or None"),
        ({"max_records": 0}, "max_records must be"),
        ({"max_records": 1.5}, "max_records"),
        ({"queue": None}, "queue"),
        ({"redact": "x"}, "redact must be a function"),
    ],
)
def test_options_out_of_range_are_refused(path, wrong, message):
    with pytest.raises(ConfigurationError, match=message):
        RecordStore(path, **wrong)


def test_no_limits(path, outcome):
    with RecordStore(path, days=None, max_records=None) as store:
        store.record(outcome(at=5.0))
        store.flush()
        assert store.prune() == 0
        assert store.count() == 1


def test_searches_use_their_index(store, outcome):
    store.record(outcome(error_type=ErrorType.CONFLATION))
    store.flush()
    with closing(sqlite3.connect(store.path)) as connection:
        plan = connection.execute("EXPLAIN QUERY PLAN SELECT number FROM records WHERE at < 1 LIMIT 9").fetchall()
    assert "records_by_time" in str(plan)
