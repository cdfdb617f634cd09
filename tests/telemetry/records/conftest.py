"""A record store, and outcomes to record."""

from __future__ import annotations

import pytest

from guardrail import Finding, Span, Verdict
from guardrail.telemetry.records import RecordStore, disk, writer
from tests.support.outcomes import make_outcome


@pytest.fixture
def outcome():
    """Makes an Outcome: ``outcome("unsupported", 0.3, answer=...)``."""
    return make_outcome


@pytest.fixture
def path(tmp_path):
    return tmp_path / "guardrail.db"


@pytest.fixture
def store(path):
    with RecordStore(path, sample=1.0, days=None) as made:
        yield made


@pytest.fixture
def impatient(monkeypatch):
    """Waits of seconds become waits of hundredths."""
    monkeypatch.setattr(disk, "_PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(writer, "_RETRY_SECONDS", (0.02, 0.05))
    monkeypatch.setattr(writer, "_GATHER_SECONDS", 0.01)


@pytest.fixture
def record(store, outcome):
    """A record with the findings a (0–2) and b (3–5)."""
    findings = [
        Finding(id=name, text=text, span=Span(start, start + 2), claim=text, verdict=Verdict.CONTRADICTED, score=0.1)
        for name, text, start in (("a", "A.", 0), ("b", "B.", 3))
    ]
    given = outcome("contradicted", 0.1, answer="A. B.", findings=findings)
    store.record(given)
    store.flush()
    return given.id
