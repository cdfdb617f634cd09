"""What happens, key by key, where no new answer passes."""

from __future__ import annotations

import asyncio

import pytest

from guardrail import Action, Guard, Policy
from guardrail.repair.edits import BLOCKED, NOT_VERIFIED
from guardrail.testing import FakeEngine

FINE, INVENTED, WRONG, UNKNOWN = (
    "The dam is 64 metres high.", "Rita Halloway built it.", "It opened in 1990.", "Nobody knows its colour.",
)  # fmt: skip
PASSAGES = [FINE]
ENGINE = FakeEngine({"Halloway": "unsupported", "1990": "contradicted", "colour": "unverified"})
POLICY = Policy(
    actions={"unsupported": "regenerate", "contradicted": "regenerate", "unverified": "regenerate"},
    on_exhausted={"unsupported": "redact", "contradicted": "block"},
)
CASES = {
    "redact what is unsupported": (f"{FINE} {INVENTED}", Action.REDACT, FINE),
    "block what is contradicted": (f"{FINE} {INVENTED} {WRONG}", Action.BLOCK, BLOCKED["en"]),
    "block what is not named": (f"{FINE} {INVENTED} {UNKNOWN}", Action.BLOCK, NOT_VERIFIED["en"]),
}


@pytest.mark.parametrize(("answer", "action", "text"), CASES.values(), ids=CASES)
def test_each_finding_follows_its_own_key(answer, action, text):
    guard, asked = Guard(policy=POLICY, engine=ENGINE), []

    def regenerate(feedback):
        asked.append(feedback)
        return f"{answer} {answer}"  # no better

    guarded = guard.run(answer, PASSAGES, regenerate=regenerate)
    assert (guarded.action, guarded.text, guarded.exhausted, len(asked)) == (action, text, True, 1)
    assert asyncio.run(guard.arun(answer, PASSAGES)).text == text
    *_, finished = guard.stream(iter([answer]), PASSAGES, mode="sentence")
    assert finished.guarded.action is action


def test_of_the_keys_that_fit_the_severest_counts():
    engine = FakeEngine({"Halloway": "unsupported"})
    actions = {"unsupported": "regenerate"}
    for named, action in (({"unsupported": "flag", "supported": "block"}, Action.FLAG), ({}, Action.BLOCK)):
        policy = Policy(actions=actions, on_exhausted=named)
        assert Guard(policy=policy, engine=engine).run(f"{FINE} {INVENTED}", PASSAGES).action is action
    typed = {"unsupported": "flag", "hallucination": "redact"}
    found = Guard(policy=Policy(actions=actions, on_exhausted=typed), engine=engine).run(f"{FINE} {INVENTED}", PASSAGES)
    expected = Action.REDACT if found.report.findings[1].error_type == "hallucination" else Action.FLAG
    assert found.action is expected


def test_an_answer_without_findings_follows_its_verdict():
    policy = Policy(actions={"unverified": "regenerate"}, on_exhausted={"unverified": "flag"})
    assert Guard(policy=policy, engine=ENGINE).run("", PASSAGES).action is Action.FLAG
