"""``@guarded`` on functions of every kind."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor

import pytest

from guardrail import GuardedAnswer, UsageError
from guardrail.repair.edits import BLOCKED
from guardrail.streaming import Delta, Finished
from guardrail.wrap.function import guarded
from tests.support.guarded_functions import PASSAGES, RAW, RIGHT, WRONG, awaited, guard, sync

ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")


def words(question, feedback=None):
    """How high is it?"""
    text, passages = sync(question, feedback)
    yield passages
    yield from text.split(" ", 1)[:1]
    yield " " + text.split(" ", 1)[1]


async def awaited_words(question, feedback=None):
    """How high is it?"""
    for item in words(question, feedback):
        await asyncio.sleep(0)
        yield item


async def _gather(stream):
    return [item async for item in stream]


def _events(stream):
    [last] = [event for event in stream if isinstance(event, Finished)]
    assert "".join(event.text for event in stream if isinstance(event, Delta)) == last.guarded.text
    return last.guarded


CALLS = {
    "sync": (sync, lambda call: call("How high?")),
    "async": (awaited, lambda call: asyncio.run(call("How high?"))),
    "generator": (words, lambda call: _events(list(call("How high?")))),
    "async generator": (awaited_words, lambda call: _events(asyncio.run(_gather(call("How high?"))))),
}


EXPECTED = {"allow": WRONG, "redact": RIGHT, "regenerate": RIGHT, "block": BLOCKED["en"]}


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(("function", "call"), CALLS.values(), ids=CALLS)
def test_every_kind_of_function_with_every_action(function, call, action):
    """The GuardedAnswer comes out, and no text that was withheld."""
    found = call(guarded(guard(action))(function))
    assert isinstance(found, GuardedAnswer)
    assert found.report.question == "How high?"
    if action in EXPECTED:
        assert str(found) == EXPECTED[action]
    else:
        assert found.text.startswith(RIGHT)
        assert "[^g1]" in found.text
    assert (RAW in found.text) == (action in {"allow", "annotate"})
    assert found.attempts == (2 if action == "regenerate" else 1)


@pytest.mark.parametrize(("function", "call"), CALLS.values(), ids=CALLS)
def test_the_function_keeps_its_kind_name_and_signature(function, call):
    """For frameworks that look at it."""
    wrapped = guarded(guard())(function)
    assert wrapped.__name__ == function.__name__
    assert wrapped.__doc__ == "How high is it?"
    assert inspect.signature(wrapped) == inspect.signature(function)
    for kind in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction):
        assert kind(wrapped) == kind(function)


def test_texts_instead_of_guarded_answers():
    """``deliver="text"``, of each kind."""
    decorate = guarded(guard("redact"), deliver="text")
    assert decorate(sync)("?") == RIGHT
    assert asyncio.run(decorate(awaited)("?")) == RIGHT
    assert "".join(decorate(words)("?")) == RIGHT
    assert "".join(asyncio.run(_gather(decorate(awaited_words)("?")))) == RIGHT


def test_an_error_of_the_function_passes_and_one_of_a_new_attempt_does_not():
    """The first has no answer to deliver."""

    def fails(question, feedback=None):
        if feedback is None and question == "first":
            raise KeyError("gone")
        if feedback is not None:
            raise KeyError("again")
        return WRONG, PASSAGES

    wrapped = guarded(guard("regenerate"))(fails)
    with pytest.raises(KeyError, match="gone"):
        wrapped("first")
    assert wrapped("second").exhausted


def test_eight_at_once_keep_their_answers_apart():
    """In threads and in tasks."""

    def answer(question, feedback=None):
        return f"Number {question} is fine." + ("" if feedback else " Rita Halloway built it."), [f"Number {question}."]

    async def aanswer(question, feedback=None):
        await asyncio.sleep(0.001 * (int(question) % 3))
        return answer(question, feedback)

    asked = [str(n) for n in range(8)]
    expected = [f"Number {n} is fine." for n in asked]
    with ThreadPoolExecutor(8) as pool:
        assert [g.text for g in pool.map(guarded(guard("regenerate"))(answer), asked)] == expected
    wrapped = guarded(guard("regenerate"))(aanswer)

    async def all_at_once():
        return await asyncio.gather(*map(wrapped, asked))

    assert [g.text for g in asyncio.run(all_at_once())] == expected


def returning(value):
    return lambda: value


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: guarded(sync), r"Write @guarded\(guard\)"),
        (lambda: guarded(guard(), deliver="json"), "deliver must be one of"),
        (lambda: guarded(guard(), mode="fast"), "unknown mode"),
        (lambda: guarded(guard(), mode="sentence")(sync), "for generator functions"),
        (lambda: guarded(guard())(classmethod(sync)), "below @classmethod"),
        (lambda: guarded(guard())(3), "needs a function, got int"),
        (lambda: guarded(guard(), question="topic")(sync), "no parameter 'topic'; it has question, feedback"),
        (lambda: guarded(guard())(lambda feedback: feedback), "first call has no feedback"),
        (guarded(guard())(returning("only text")), r"Return \(answer, passages\)"),
        (guarded(guard())(returning((1, 2, 3))), "got a tuple of 3"),
        (guarded(guard())(returning({"text": 1})), r"keys \['text'\]"),
        (guarded(guard())(returning((3, PASSAGES))), "must be a str, got int"),
        (guarded(guard())(returning((RIGHT, "one passage"))), "passages must be a list"),
        (guarded(guard())(lambda: awaited("?")), "Define it with `async def`"),
        (lambda: list(guarded(guard())(lambda: (yield RIGHT))()), "yielded no passages"),
    ],
)
def test_mistakes_are_told(use, message):
    """What is wrong, and what to write."""
    with pytest.raises(UsageError, match=message):
        use()
