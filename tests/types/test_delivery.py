"""The summary of a guarded answer: plain JSON for every outcome, and no text that is not delivered."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from guardrail import Action, Claim, Guard, Passage, Policy, Verdict
from guardrail.errors import EngineTimeout
from guardrail.policy.keys import NEW_ANSWER
from guardrail.testing import FakeEngine

UUID = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
PASSAGES = [Passage(id=UUID, title="Guide to the dam", text="The dam is 64 metres high. It was opened in 1963.")]
FINE, WRONG = "The dam is 64 metres high.", "Rita Halloway built it."
NAMESAKES = [
    Passage(id="a", title="Ann Weir (owner)", text="Ann Weir owned the dam."),
    Passage(id="b", title="Ann Weir (singer)", text="Ann Weir sang in Fennick."),
]


class Quotes(FakeEngine):
    """Its reasons quote the segment, as those of real engines do."""

    def verify(self, request):
        matrix = super().verify(request)
        texts = {segment.id: segment.text for segment in request.segments}
        rows = tuple(replace(row, reason=f"It says {texts[row.segment_id]!r}.") for row in matrix.rows)
        return replace(matrix, rows=rows)


def run(answer=f"{FINE} {WRONG}", passages=PASSAGES, verdict="contradicted", action="annotate", **more):
    """One guarded answer; ``more`` goes to the call, but for the policy's ``on_exhausted``."""
    policy = Policy(actions={str(verdict): action}, on_exhausted=more.pop("on_exhausted", "block"))
    default = more.pop("default", "supported")
    engine = Quotes({"Halloway": verdict}, default=default)
    return Guard(policy=policy, engine=engine).run(answer, passages, **more)


OUTCOMES = {
    **{f"{verdict}, {action}": {"verdict": verdict, "action": action}
       for verdict in Verdict if verdict is not Verdict.ABSTAINED for action in Action},
    **{f"nobody can {wish}, {last}": {"action": wish, "on_exhausted": last}
       for wish in NEW_ANSWER for last in Action if last not in NEW_ANSWER},
    "regenerated": {"action": "regenerate", "regenerate": lambda _: FINE},
    "regenerated in vain": {"action": "regenerate", "regenerate": lambda _: WRONG},
    "abstained": {"answer": "The documents do not say who built it."},
    "claims nothing": {"answer": "You're welcome! Anything else?"},
    "empty": {"answer": ""},
    "code": {"answer": "```python\nx = 1\n```"},
    "no passages": {"passages": []},
    "late": {"default": EngineTimeout("late")},
    "engine failed": {"default": RuntimeError("down")},
    "lone surrogate": {"answer": f"{WRONG} \ud800 {FINE}"},
    "claims": {"claims": [FINE, ("Rita Halloway", "built", "the dam"), Claim(id="c", text=WRONG)]},
    "no claims": {"claims": []},
    "namesakes": {"answer": "Ann Weir owned the dam. She sang in Fennick.", "passages": NAMESAKES},
}  # fmt: skip


@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=OUTCOMES)
def test_every_outcome_is_plain_json(outcome):
    guarded = run(**outcome)
    short, whole = guarded.to_dict(), guarded.to_dict(texts=True)
    assert json.loads(json.dumps(short)) == short
    assert json.loads(json.dumps(whole)) == whole
    assert json.loads(json.dumps(guarded.report.to_dict())) == guarded.report.to_dict()
    assert (short["verdict"], short["action"]) == (guarded.report.verdict.value, guarded.action.value)
    assert [f["id"] for f in short["findings"]] == [f.id for f in guarded.report.findings]
    assert whole["text"] == guarded.text


@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=OUTCOMES)
def test_no_text_that_is_not_delivered_is_in_the_summary(outcome):
    guarded = run(**outcome)
    if "Halloway" not in guarded.text:
        assert "Halloway" not in json.dumps(guarded.to_dict())


def test_a_finding_says_what_why_and_from_where():
    fine, wrong = run().to_dict()["findings"]
    assert fine["verdict"] == "supported"
    assert wrong == {
        "id": "s2", "span": [27, 50], "verdict": "contradicted", "score": 0.03, "error_type": "contradiction",
        "cause": None, "conflict": False, "reason": f"It says {WRONG!r}.", "action": "annotate",
        "evidence": [{"passage_id": UUID, "title": "Guide to the dam"}],
    }  # fmt: skip
    assert run(action="redact").to_dict()["findings"][1]["reason"] == ""


def test_texts_are_there_where_they_are_asked_for():
    found = run(action="block").to_dict(texts=True)["findings"][1]
    assert (found["text"], found["reason"]) == (WRONG, f"It says {WRONG!r}.")
    assert found["evidence"][0]["quote"] == PASSAGES[0].text
    assert found["evidence"][0]["title"] == "Guide to the dam"
