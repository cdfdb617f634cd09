"""Outcomes to record, made by hand so that each test says what it is about; the real guard is in test_end_to_end."""

from __future__ import annotations

import itertools
import time

import pytest

from guardrail import Action, Decision, Evidence, Finding, GuardedAnswer, Passage, Report, Span, Verdict
from guardrail.telemetry import Outcome
from guardrail.telemetry.records import RecordStore, disk, writer

PASSAGE = Passage(id="p1", title="The bridge", text="The bridge opened in 1931. It is 300 metres long.")
ANSWER = "The bridge opened in 1971."
_ACTIONS = {Verdict.SUPPORTED: Action.ALLOW, Verdict.ABSTAINED: Action.ALLOW}
_serial = itertools.count(1)


def make_outcome(
    verdict="contradicted",
    score=0.1,
    *,
    answer=ANSWER,
    question="When did the bridge open?",
    passages=(PASSAGE,),
    findings=None,
    action=None,
    checked_only=False,
    ident=None,
    error_type=None,
    reason="",
    text=None,
    **fields,
):
    verdict = Verdict(verdict)
    if findings is None:
        quoted = passages[0].text[:26] if passages else ""
        evidence = (Evidence(passage_id=passages[0].id, span=Span(0, len(quoted)), quote=quoted),) if quoted else ()
        findings = (
            Finding(
                id="s1", text=answer, span=Span(0, len(answer)), claim=answer, verdict=verdict, score=score,
                error_type=error_type, reason=reason, evidence=evidence,
            ),
        )  # fmt: skip
    report = Report(
        verdict=verdict, score=score, answer=answer, passages=tuple(passages), question=question,
        findings=tuple(findings), engine="fake", seconds=0.02,
    )  # fmt: skip
    done = Action(action) if action else _ACTIONS.get(verdict, Action.FLAG)
    decision = Decision(action=done, rule=verdict.value, policy="monitor")
    guarded = GuardedAnswer(text=answer if text is None else text, action=done, report=report, decision=decision)
    defaults = {"id": ident or f"{next(_serial):032x}", "at": time.time(), "seconds": 0.02, "policy": "monitor"}
    return Outcome(
        report=report,
        guarded=None if checked_only else guarded,
        action="none" if checked_only else done.value,
        **{**defaults, **fields},
    )


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
