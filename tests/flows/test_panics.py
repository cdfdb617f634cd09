"""A library written in Rust that panics costs a verdict, never the service's request: its error is no Exception."""

import asyncio

import pytest
from tokenizers import pre_tokenizers

from guardrail import Guard, Policy
from guardrail.engines.llm import LLMEngine, OpenAILLM
from guardrail.testing import FakeEngine, OpenAIServer
from tests.support.judge_script import ReadingJudge

ANSWER = "The dam was closed in May."
PASSAGES = ["The dam was closed in May."]


class PanicException(BaseException):
    """As each library has one of its own."""


def panic(*_, **__):
    raise PanicException("called `Option::unwrap()` on the text itself")


async def apanic(*_, **__):
    panic()


async def grouped(*_, **__):
    async with asyncio.TaskGroup() as group:
        group.create_task(apanic())
        group.create_task(asyncio.sleep(0))


def test_a_real_one_is_known():
    """Of the tokenizers that the local engine works with."""
    if not hasattr(pre_tokenizers, "FixedLength"):
        pytest.skip("this version of tokenizers has nothing that panics so easily")

    class Engine:
        name = "real"

        def verify(self, _):
            try:
                return pre_tokenizers.FixedLength(length=0).pre_tokenize_str("abc")
            except Exception:
                pytest.skip("this version of tokenizers does not panic")

    finding = Guard(policy=Policy.monitor(), engine=Engine()).check(ANSWER, PASSAGES).findings[0]
    assert (finding.verdict, "a library panicked" in finding.reason) == ("unverified", True)


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
    ({"engine": Part(averify=grouped)}, PASSAGES, "arun"),
]


@pytest.mark.parametrize(("parts", "passages", "way"), PARTS)
def test_in_an_engine_or_retriever_it_leaves_the_answer_unverified(parts, passages, way):
    guarded = WAYS[way](Guard(policy=Policy.monitor(), **parts), passages)
    assert guarded.report.verdict == "unverified"
    assert "panicked" in guarded.report.findings[0].reason
    assert "the text itself" not in str(guarded)


def test_where_the_answer_is_taken_apart_it_leaves_it_unverified(monkeypatch):
    monkeypatch.setattr("guardrail.check.plan.decompose", panic)
    guard = Guard(policy=Policy.monitor(), engine=FakeEngine())
    assert guard.check(ANSWER, PASSAGES).verdict == "unverified"
    assert asyncio.run(guard.acheck(ANSWER, PASSAGES)).verdict == "unverified"


def test_where_it_is_edited_the_policys_failure_rule_holds(monkeypatch):
    monkeypatch.setattr("guardrail.repair.attempts.repair", panic)
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


class Cache:
    get = set = staticmethod(panic)


def test_in_a_cache_it_costs_no_verdict():
    with OpenAIServer(ReadingJudge()) as server:
        engine = LLMEngine(llm=OpenAILLM("judge-1", base_url=server.base_url), cache=Cache())
        assert Guard(policy=Policy.monitor(), engine=engine).check(ANSWER, PASSAGES).verdict == "supported"


@pytest.mark.parametrize("order", [KeyboardInterrupt, SystemExit])
def test_an_order_to_stop_is_no_failure(order):
    def stopped(_):
        raise order

    async def grouped_with_a_panic(_):
        async with asyncio.TaskGroup() as group:
            group.create_task(apanic())
            raise order

    with pytest.raises(order):
        Guard(engine=Part(verify=stopped)).run(ANSWER, PASSAGES)
    with pytest.raises(order):
        asyncio.run(Guard(engine=Part(averify=grouped_with_a_panic)).arun(ANSWER, PASSAGES))
