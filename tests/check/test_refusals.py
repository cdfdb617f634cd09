"""A refusal that the passages contradict is a finding; any other stays skipped, whatever the engine makes of it."""

from __future__ import annotations

import pytest

from guardrail import Guard, Passage, Policy, Verdict
from guardrail.check.contract import VerifyRequest
from guardrail.streaming import Delta, Mode
from guardrail.types import Cause, Cell, ErrorType, Row, Span, SupportMatrix

FEE = Passage(id="a", title="Fees", text="The fee is 40 euros. Parking is free.")
REFUSAL = "The documents do not mention the fee."


class Reader:
    """An engine that finds refusals contradicted, silent or unread, and supports everything else."""

    name = "reader"

    def __init__(self, refusals: str = "contradicted", *, judges_refusals: bool = True) -> None:
        self.judges_refusals = judges_refusals
        self._refusals = refusals
        self.asked: list[str] = []

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        self.asked += [segment.text for segment in request.segments]
        rows = []
        for segment in request.segments:
            against = 0.97 if segment.skipped and self._refusals == "contradicted" else 0.02
            support = 0.03 if segment.skipped and self._refusals != "supported" else 0.97
            cells = (Cell(supported=support, contradicted=against),)
            unread = "no reply" if segment.skipped and self._refusals == "unread" else None
            row = Row(segment_id=segment.id, cells=cells, supported=support, contradicted=against)
            if unread:
                row = Row(segment_id=segment.id, cells=(None,), unverified=unread, cause=Cause.REPLY)
            elif against > 0.5:
                row = Row(
                    segment_id=segment.id,
                    cells=cells,
                    supported=support,
                    contradicted=against,
                    evidence=((0, Span(0, 20)),),
                    error_type=ErrorType.CONTRADICTION,
                    reason="The passage states the fee.",
                )
            rows.append(row)
        return SupportMatrix(rows=tuple(rows))


def test_a_false_refusal_is_a_finding_with_its_evidence() -> None:
    report = Guard(engine=Reader()).check(REFUSAL, [FEE], question="What is the fee?")
    [finding] = report.findings
    assert report.verdict is finding.verdict is Verdict.CONTRADICTED
    assert finding.text == REFUSAL
    assert [quote.quote for quote in finding.evidence] == ["The fee is 40 euros."]
    assert not report.skipped


@pytest.mark.parametrize("told", ["supported", "unsupported", "unread"])
def test_any_other_refusal_stays_one(told: str) -> None:
    report = Guard(engine=Reader(told)).check(REFUSAL, [FEE])
    assert (report.verdict, report.findings) == (Verdict.ABSTAINED, ())
    assert [segment.skipped for segment in report.skipped] == ["declines"]


@pytest.mark.parametrize(("told", "findings"), [("contradicted", 2), ("supported", 1), ("unread", 1)])
def test_beside_claims_only_the_false_one_is_a_finding(told: str, findings: int) -> None:
    report = Guard(engine=Reader(told)).check(f"Parking is free. {REFUSAL}", [FEE])
    assert len(report.findings) == findings
    assert report.findings[0].text == "Parking is free."
    assert report.verdict is (Verdict.CONTRADICTED if findings == 2 else Verdict.SUPPORTED)
    assert len(report.skipped) == 2 - findings


@pytest.mark.parametrize("judges", [True, False])
def test_only_engines_that_judge_refusals_are_shown_them(judges: bool) -> None:
    engine = Reader(judges_refusals=judges)
    Guard(engine=engine).check(f"Parking is free. {REFUSAL}", [FEE])
    assert engine.asked == ["Parking is free.", *([REFUSAL] if judges else [])]


def test_without_passages_a_refusal_is_true() -> None:
    engine = Reader()
    assert Guard(engine=engine).check(REFUSAL, []).verdict is Verdict.ABSTAINED
    assert engine.asked == []


def test_a_false_refusal_can_be_blocked() -> None:
    guarded = Guard(policy=Policy.strict(), engine=Reader()).run(REFUSAL, [FEE])
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
        for event in Guard(policy=policy, engine=Reader()).stream(pieces, [FEE], mode=mode)
        if isinstance(event, Delta)
    )
    assert REFUSAL not in text
    true = Guard(policy=policy, engine=Reader("supported")).stream(iter([answer]), [FEE], mode=mode)
    assert "".join(event.text for event in true if isinstance(event, Delta)).strip() == answer
