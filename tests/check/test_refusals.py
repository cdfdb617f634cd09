"""A refusal that the passages contradict is a finding; any other stays skipped, whatever the engine makes of it."""

from __future__ import annotations

import pytest

from guardrail import Guard, Policy, Verdict
from guardrail.streaming import Delta, Mode
from tests.support.refusals import FEE, REFUSAL, RefusalReader, refusal_reader


def asked(engine: RefusalReader) -> list[str]:
    return [segment.text for request in engine.calls for segment in request.segments]


def test_a_false_refusal_is_a_finding_with_its_evidence() -> None:
    report = Guard(engine=refusal_reader()).check(REFUSAL, [FEE], question="What is the fee?")
    [finding] = report.findings
    assert report.verdict is finding.verdict is Verdict.CONTRADICTED
    assert finding.text == REFUSAL
    assert [quote.quote for quote in finding.evidence] == ["The fee is 40 euros."]
    assert not report.skipped


@pytest.mark.parametrize("told", ["supported", "unsupported", "unverified"])
def test_any_other_refusal_stays_one(told: str) -> None:
    report = Guard(engine=refusal_reader(told)).check(REFUSAL, [FEE])
    assert (report.verdict, report.findings) == (Verdict.ABSTAINED, ())
    assert [segment.skipped for segment in report.skipped] == ["declines"]


@pytest.mark.parametrize(("told", "findings"), [("contradicted", 2), ("supported", 1), ("unverified", 1)])
def test_beside_claims_only_the_false_one_is_a_finding(told: str, findings: int) -> None:
    report = Guard(engine=refusal_reader(told)).check(f"Parking is free. {REFUSAL}", [FEE])
    assert len(report.findings) == findings
    assert report.findings[0].text == "Parking is free."
    assert report.verdict is (Verdict.CONTRADICTED if findings == 2 else Verdict.SUPPORTED)
    assert len(report.skipped) == 2 - findings


@pytest.mark.parametrize("judges", [True, False])
def test_only_engines_that_judge_refusals_are_shown_them(judges: bool) -> None:
    engine = refusal_reader(judges_refusals=judges)
    Guard(engine=engine).check(f"Parking is free. {REFUSAL}", [FEE])
    assert asked(engine) == ["Parking is free.", *([REFUSAL] if judges else [])]


def test_without_passages_a_refusal_is_true() -> None:
    engine = refusal_reader()
    assert Guard(engine=engine).check(REFUSAL, []).verdict is Verdict.ABSTAINED
    assert asked(engine) == []


def test_a_false_refusal_can_be_blocked() -> None:
    guarded = Guard(policy=Policy.strict(), engine=refusal_reader()).run(REFUSAL, [FEE])
    assert REFUSAL not in guarded.text


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
@pytest.mark.parametrize(
    "answer", [REFUSAL, f"Parking is free. {REFUSAL} Parking is free for everybody who comes by car."]
)
def test_no_false_refusal_leaves_a_stream(mode: Mode, answer: str) -> None:
    policy = Policy.strict()
    pieces = (f"{word} " for word in answer.split())
    text = "".join(
        event.text
        for event in Guard(policy=policy, engine=refusal_reader()).stream(pieces, [FEE], mode=mode)
        if isinstance(event, Delta)
    )
    assert REFUSAL not in text
    true = Guard(policy=policy, engine=refusal_reader("supported")).stream(iter([answer]), [FEE], mode=mode)
    assert "".join(event.text for event in true if isinstance(event, Delta)).strip() == answer
