"""The report as plain JSON: what readers find in it."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard
from tests.support.claim_judge import ANSWER, PASSAGES, ClaimJudge


def test_the_record_holds_claims_and_usage():
    """It is JSON; labels stand by passage id, and an unjudged claim says why."""
    guarded = Guard(engine=ClaimJudge()).run(ANSWER, PASSAGES)
    record = json.loads(json.dumps(guarded.to_dict(texts=True)))
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
    record = Guard().check("The dam is 64 metres high.", ["The dam is 64 metres high."]).to_dict(texts=True)
    assert record["claims"] == []
    assert record["usage"]["calls"] == 0
    assert record["scores"]["category"] is None
