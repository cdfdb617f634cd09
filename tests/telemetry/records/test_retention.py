"""What is kept: a known share of the clean ones, for a time, up to a number; and the rates that follow."""

from __future__ import annotations

import time

import pytest

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


def test_no_limits(path, outcome):
    with RecordStore(path, days=None, max_records=None) as store:
        store.record(outcome(at=5.0))
        store.flush()
        assert store.prune() == 0
        assert store.count() == 1
