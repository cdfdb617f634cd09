"""A library written in Rust that panics costs a verdict, never the service's request: its error is no Exception."""

import asyncio

import pytest
from tokenizers import pre_tokenizers

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine

ANSWER = "The dam was closed in May."
PASSAGES = ["The dam was closed in May."]


def panic(*_, **__):
    """A real one, of the tokenizers of the local engine."""
    pre_tokenizers.FixedLength(length=0).pre_tokenize_str("abc")


async def apanic(*_, **__):
    panic()


def test_a_panic_is_no_exception():
    with pytest.raises(BaseException, match="chunk size") as caught:
        panic()
    assert not isinstance(caught.value, Exception)


class Part:
    """An engine, retriever or rewriter, by its methods."""

    name = "panicking"

    def __init__(self, **methods):
        vars(self).update(methods)


WAYS = {
    "run": lambda guard, passages: guard.run(ANSWER, passages),
    "arun": lambda guard, passages: asyncio.run(guard.arun(ANSWER, passages)),
    "buffer": lambda guard, passages: list(guard.stream(iter([ANSWER]), passages))[-1].guarded,
    "sentence": lambda guard, passages: list(guard.stream(iter([ANSWER]), passages, mode="sentence"))[-1].guarded,
}
PARTS = [
    *(({"engine": Part(verify=panic)}, PASSAGES, way) for way in WAYS),
    *(({"engine": FakeEngine(), "retriever": Part(retrieve=panic)}, [], way) for way in WAYS),
    ({"engine": Part(averify=apanic)}, PASSAGES, "arun"),
]


@pytest.mark.parametrize(("parts", "passages", "way"), PARTS)
def test_in_an_engine_or_retriever_it_leaves_the_answer_unverified(parts, passages, way):
    guarded = WAYS[way](Guard(policy=Policy.monitor(), **parts), passages)
    assert guarded.report.verdict == "unverified"
    assert "panicked" in guarded.report.findings[0].reason


def test_where_the_answer_is_taken_apart_it_leaves_it_unverified(monkeypatch):
    monkeypatch.setattr("guardrail.plan.decompose", panic)
    guard = Guard(policy=Policy.monitor(), engine=FakeEngine())
    assert guard.check(ANSWER, PASSAGES).verdict == "unverified"
    assert asyncio.run(guard.acheck(ANSWER, PASSAGES)).verdict == "unverified"


def test_where_it_is_edited_the_policys_failure_rule_holds(monkeypatch):
    monkeypatch.setattr("guardrail.guard.repair", panic)
    policy = Policy(actions={"unsupported": "redact"}, fail="closed")
    guarded = Guard(policy=policy, engine=FakeEngine(default="unsupported")).run(ANSWER, PASSAGES)
    assert guarded.action == "block"
    assert ANSWER not in guarded.text


@pytest.mark.parametrize("work", [panic, apanic])
@pytest.mark.parametrize("action", ["regenerate", "rewrite"])
def test_in_a_generator_or_rewriter_it_costs_an_attempt(work, action):
    policy = Policy(actions={"unsupported": action}, max_attempts=2)
    rewriter = Part(rewrite=panic) if work is panic else Part(arewrite=apanic)
    guard = Guard(policy=policy, engine=FakeEngine(default="unsupported"), rewriter=rewriter)
    guarded = asyncio.run(guard.arun(ANSWER, PASSAGES, regenerate=work))
    assert guarded.exhausted
    assert guarded.report.verdict == "unsupported"
    if work is panic:
        assert guard.run(ANSWER, PASSAGES, regenerate=work).exhausted


@pytest.mark.parametrize("settings", [{"capture_content": True, "redact": panic}, {"recorder": Part(record=panic)}])
def test_in_telemetry_it_costs_a_text_or_a_record(settings, watched):
    guard = Guard(policy=Policy.monitor(), engine=FakeEngine(), telemetry=watched.set_up(**settings))
    assert guard.run(ANSWER, PASSAGES).text == ANSWER
    told = watched.spans("guardrail.check")[0].attributes
    assert told["guardrail.verdict"] == "supported"
    assert told.get("guardrail.answer", "[redaction failed]") == "[redaction failed]"


def test_an_order_to_stop_is_no_failure():
    def stopped(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Guard(engine=Part(verify=stopped)).run(ANSWER, PASSAGES)
