"""Outcomes to record, and a store of some, made by hand so that each test says what it is about."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guardrail import Action, Decision, ErrorType, Evidence, Finding, GuardedAnswer, Passage, Report, Span, Verdict
from guardrail.telemetry import Outcome
from guardrail.telemetry.records import RecordStore

PASSAGE = Passage(id="p1", title="The bridge", text="The bridge opened in 1931. It is 300 metres long.")
ANSWER = "The bridge opened in 1971."
_ACTIONS = {Verdict.SUPPORTED: Action.ALLOW, Verdict.ABSTAINED: Action.ALLOW}
_serial = itertools.count(1)


def make_outcome(
    verdict: str = "contradicted",
    score: float = 0.1,
    *,
    answer: str = ANSWER,
    question: str | None = "When did the bridge open?",
    passages: Sequence[Passage] = (PASSAGE,),
    findings: Sequence[Finding] | None = None,
    action: str | None = None,
    checked_only: bool = False,
    ident: str | None = None,
    error_type: ErrorType | None = None,
    reason: str = "",
    text: str | None = None,
    **fields: Any,
) -> Outcome:
    """An outcome with one finding, unless others are given; ``fields`` are those of an Outcome."""
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


def three_records(path: Path) -> Path:
    """A record store of three: a contradicted one with evidence, an unsupported one without, a supported one."""
    with RecordStore(path, sample=1.0, days=None) as store:
        store.record(
            make_outcome(
                ident="a" * 32, error_type=ErrorType.CONTRADICTION, reason="The passage says 1931.", at=1_700_000_000,
                labels={"retriever": "bm25", "release": "v7"}, trace_id="ab" * 16, text="Redacted.", action="redact",
            )
        )  # fmt: skip
        claim = "It is painted in red by Ann."
        finding = Finding(id="s1", text=claim, span=Span(0, 28), claim=claim, verdict=Verdict.UNSUPPORTED, score=0.2)
        texts = ("It opened in 1931. It is painted green.", "Other things.")
        passages = [Passage(id=f"p{n}", text=text) for n, text in enumerate(texts)]
        store.record(
            make_outcome("unsupported", 0.2, ident="b" * 32, answer=claim, findings=[finding], passages=passages)
        )
        store.record(make_outcome("supported", 0.9, ident="c" * 32, labels={"retriever": "bm25"}))
    return path
