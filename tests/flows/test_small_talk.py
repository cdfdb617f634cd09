"""Small talk in a turn that looked nothing up: delivered by every way in, though passages of earlier turns are there."""

from __future__ import annotations

import asyncio
import re

import pytest

from guardrail import Action, Guard, Policy, Verdict
from guardrail.streaming import Delta
from guardrail.testing import FakeEngine
from guardrail.wrap import guarded

PASSAGES = ["The library opens at 6:00. A guest card costs 15 euros."]
TALK = ["You're welcome! Anything else?", "You're very welcome, Anna! I'm glad I could help. Enjoy your visit!"]
CLAIM = "You're welcome! A guest card costs 25 euros."


def guard(policy):
    return Guard(policy=policy, engine=FakeEngine(default="unsupported"))


def streamed(made, text, mode):
    events = made.stream(re.findall(r"\S+\s*", text), PASSAGES, mode=mode)
    return "".join(event.text for event in events if isinstance(event, Delta))


WAYS = {
    "run": lambda made, text: made.run(text, PASSAGES).text,
    "arun": lambda made, text: asyncio.run(made.arun(text, PASSAGES)).text,
    "question": lambda made, text: made.run(text, PASSAGES, question="Thanks!").text,
    "function": lambda made, text: guarded(made)(lambda question: (text, PASSAGES))("Thanks!").text,
    "stream": lambda made, text: streamed(made, text, "buffer"),
    "stream of sentences": lambda made, text: streamed(made, text, "sentence"),
}


@pytest.mark.parametrize("text", TALK)
@pytest.mark.parametrize("policy", [Policy.strict(), Policy.repair(), Policy.annotate()], ids=lambda p: p.name)
@pytest.mark.parametrize("way", WAYS)
def test_small_talk_is_delivered_and_costs_nothing(way, policy, text):
    made = guard(policy)
    assert WAYS[way](made, text) == text
    assert made.engine.calls == []


@pytest.mark.parametrize("way", WAYS)
def test_a_claim_beside_it_is_checked(way):
    assert "25 euros" not in WAYS[way](guard(Policy.strict()), CLAIM)


def test_it_claims_nothing():
    report = guard(Policy.strict()).check(TALK[0], PASSAGES)
    assert (report.verdict, report.findings) == (Verdict.ABSTAINED, ())
    assert guard(Policy.strict()).run(TALK[0], PASSAGES).action is Action.ALLOW
