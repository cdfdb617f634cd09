"""An engine that judges claims: scores over claims, records, text form, spans."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, replace

import pytest

from guardrail import Guard, Passage
from guardrail.check.contract import Draft
from guardrail.check.report_json import result_record
from guardrail.cli.show import show
from guardrail.telemetry.attributes import report_attributes
from guardrail.types import Cell, Claim, Row, Span, SupportMatrix, Usage, Verdict

ANSWER = "Larkmoor Dam is 64 metres high and green. Boats are banned."
PASSAGES = [
    Passage(id="dam", text="Larkmoor Dam is 64 metres high."),
    Passage(id="lake", text="The dam is grey. Boats are banned."),
]
S, C, N = (0.9, 0.0), (0.0, 0.9), (0.1, 0.1)
TABLE = {  # claim text: cells by passage, over all
    "Larkmoor Dam is 64 metres high": (S, N, S),
    "Larkmoor Dam is green": (N, C, C),
    "Larkmoor Dam is a dam": (None, None, None),
    "Boats are banned": (N, S, S),
}


ASKED = Usage(calls=1, rounds=1, input_tokens=300, output_tokens=40, cost=0.002)


@dataclass(frozen=True)
class ClaimJudge:
    """Takes the answer apart into claims and judges each as TABLE says."""

    usage: Usage = ASKED
    name: str = "claims"

    def decompose(self, request):
        first, second = request.parts.segments
        texts = [list(TABLE)[:3], list(TABLE)[3:]]
        segments = tuple(
            replace(
                segment,
                claims=tuple(
                    Claim(
                        id=f"{segment.id}.{n}",
                        text=text,
                        triplet=("Larkmoor Dam", "is", text.rpartition(" is ")[2]) if " is " in text else None,
                        span=segment.span,
                    )
                    for n, text in enumerate(said, 1)
                ),
            )
            for segment, said in zip((first, second), texts, strict=True)
        )
        return Draft(parts=replace(request.parts, segments=segments), usage=self.usage)

    def verify(self, request):
        claims = [claim for segment in request.segments for claim in segment.claims]
        rows = [self._row(s.id, (N, C, C) if n == 0 else (N, S, S), request) for n, s in enumerate(request.segments)]
        judged = tuple(self._row(claim.id, TABLE[claim.text], request) for claim in claims)
        return SupportMatrix(rows=tuple(rows), claims=judged, usage=self.usage)

    def _row(self, ident, judged, request):
        *cells, over_all = judged
        if over_all is None:
            return Row(segment_id=ident, cells=(None,) * len(cells), unverified="no reply for this claim")
        number = cells.index(over_all)
        return Row(
            segment_id=ident,
            cells=tuple(Cell(supported=p, contradicted=q) for p, q in cells),
            supported=over_all[0],
            contradicted=over_all[1],
            evidence=((number, Span(0, len(request.passages[number].text))),),
        )


def test_fact_scores_count_claims_and_faithfulness_segments():
    """4 claims: 2 supported, 1 contradicted, 1 that nobody judged; 1 of 2 segments holds."""
    report = Guard(engine=ClaimJudge()).check(ANSWER, PASSAGES)
    found = report.scores
    assert (found.factscore, found.d_factscore, found.faithfulness) == (0.5, 0.5, 0.5)
    assert (found.entailment, found.neutral, found.contradiction) == (0.5, 0.0, 0.25)
    assert [claim.verdict for claim in report.claims] == [
        Verdict.SUPPORTED,
        Verdict.CONTRADICTED,
        Verdict.UNVERIFIED,
        Verdict.SUPPORTED,
    ]


def test_the_record_holds_claims_and_usage():
    """It is JSON; labels stand by passage id, and an unjudged claim says why."""
    guarded = Guard(engine=ClaimJudge()).run(ANSWER, PASSAGES)
    record = json.loads(json.dumps(result_record("a", guarded)))
    assert record["claims"][1] == {
        "id": "s1.2",
        "segment_id": "s1",
        "text": "Larkmoor Dam is green",
        "triplet": ["Larkmoor Dam", "is", "green"],
        "span": [0, 41],
        "verdict": "contradicted",
        "score": 0.0,
        "by_passage": {"dam": "unsupported", "lake": "contradicted"},
        "evidence": [{"passage_id": "lake", "span": [0, 34], "quote": PASSAGES[1].text}],
        "reason": "",
    }
    assert record["claims"][2]["reason"] == "no reply for this claim"
    assert record["claims"][2]["by_passage"] == {"dam": "unverified", "lake": "unverified"}
    assert record["claims"][3]["triplet"] is None
    usage = record["usage"]
    assert (usage["calls"], usage["rounds"], usage["input_tokens"], usage["output_tokens"]) == (2, 2, 600, 80)
    assert usage["cost"] == pytest.approx(0.004)


def test_the_record_of_the_local_engine_has_no_claims():
    """The keys are there all the same, so that a reader need not ask."""
    record = result_record(1, Guard().run("The dam is 64 metres high.", ["The dam is 64 metres high."]))
    assert record["claims"] == []
    assert record["usage"]["calls"] == 0
    assert record["scores"]["category"] is None


def shown(guard):
    target = io.StringIO()
    show(guard.run(ANSWER, PASSAGES), target)
    return target.getvalue()


def test_the_text_form_lists_claims_under_their_finding():
    """Who supports and who contradicts stands behind each; the last line is the bill."""
    text = shown(Guard(engine=ClaimJudge()))
    assert "      ✗ Larkmoor Dam | is | green  [lake ✗]\n" in text
    assert "      ? Larkmoor Dam | is | a dam  [dam ?, lake ?]\n" in text
    assert "      ✓ Boats are banned  [lake ✓]\n" in text
    assert text.index("| green") < text.index("  ✓ Boats are banned.  [42–59]")
    assert "2 calls in 2 rounds, 600 tokens in, 80 out, cost 0.0040" in text


def test_the_text_form_says_how_much_a_cascade_saved():
    """Where something was screened."""
    usage = Usage(calls=1, rounds=1, screened=1, escalated=1)
    assert "2 calls in 2 rounds, 0 tokens in, 0 out, 2 of 2 segments escalated" in shown(
        Guard(engine=ClaimJudge(usage))
    )


def test_the_text_form_has_no_bill_where_nothing_was_asked():
    """The local engine asks nobody."""
    assert "calls" not in shown(Guard())


def test_spans_tell_what_an_answer_cost():
    """Counts only: no text of claims, and no key at all where no model was asked or remembered."""
    told = report_attributes(Guard(engine=ClaimJudge()).check(ANSWER, PASSAGES))
    assert told["guardrail.llm.calls"] == 2
    assert told["guardrail.llm.input_tokens"] == 600
    assert told["guardrail.llm.cost"] == pytest.approx(0.004)
    assert not any("dam" in str(value).casefold() for value in told.values())
    free = report_attributes(Guard().check(ANSWER, PASSAGES))
    assert not any(key.startswith("guardrail.llm") for key in free)
    remembered = report_attributes(Guard(engine=ClaimJudge(Usage(cache_hits=1))).check(ANSWER, PASSAGES))
    assert remembered["guardrail.llm.cache_hits"] == 2
    assert "guardrail.llm.cost" not in remembered
