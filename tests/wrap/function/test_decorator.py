"""``@guarded`` on functions of every kind."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from guardrail import Action, Guard, GuardedAnswer, Policy, UsageError
from guardrail.repair.edits import BLOCKED
from guardrail.streaming import Delta, Finished
from guardrail.testing import FakeEngine
from guardrail.wrap.function import guarded

PASSAGES = ["The dam is 64 metres high.", "It was opened in 1963."]
RIGHT = "The dam is 64 metres high."
WRONG = "The dam is 64 metres high. Rita Halloway built it."
RAW = "Rita Halloway"
ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")


def guard(action="block", **more):
    policy = Policy(actions={"contradicted": action}, on_exhausted="block", max_attempts=3)
    return Guard(policy=policy, engine=FakeEngine({"Halloway": "contradicted"}), **more)


def sync(question, feedback=None):
    """How high is it?"""
    return (RIGHT if feedback else WRONG), PASSAGES


async def awaited(question, feedback=None):
    """How high is it?"""
    await asyncio.sleep(0)
    return sync(question, feedback)


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


@pytest.mark.parametrize("mode", ["sentence", "observe"])
def test_a_generator_function_streams_in_the_mode_it_was_given(mode):
    """In sentence mode the checked sentence leaves before the last delta is made; observe says that it is unchecked."""
    made = []

    def slow(question):
        yield PASSAGES
        for piece in ("The dam is 64 metres high. ", *["It was opened in 1963. "] * 8, "Rita Halloway built it."):
            made.append(piece)
            yield piece

    stream = guarded(guard("block"), mode=mode)(slow)("?")
    first = next(event for event in stream if isinstance(event, Delta))
    assert len(made) < 10
    assert first.verified == (mode == "sentence")
    text = first.text + "".join(event.text for event in stream if isinstance(event, Delta))
    assert (RAW in text) == (mode == "observe")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_stream_that_is_closed_closes_the_function(asynchronous):
    """Its own cleanup runs."""
    ended = []

    def held(question):
        try:
            yield PASSAGES
            yield "The dam is 64 metres high. It was opened in 1963. And"
            yield " so on."
        finally:
            ended.append(True)

    async def aheld(question):
        for item in (h := held(question)):
            try:
                yield item
            except GeneratorExit:
                h.close()
                raise

    if asynchronous:

        async def some():
            stream = guarded(guard(), mode="observe")(aheld)("?")
            await anext(stream)
            await stream.aclose()

        asyncio.run(some())
    else:
        stream = guarded(guard(), mode="observe")(held)("?")
        next(stream)
        stream.close()
    assert ended == [True]


@dataclass
class Result:
    text: str
    sources: list[str]


@pytest.mark.parametrize(
    ("returned", "extracts"),
    [
        ({"answer": WRONG, "passages": PASSAGES}, {}),
        ({"result": WRONG, "docs": PASSAGES}, {"answer": "result", "passages": "docs"}),
        (Result(WRONG, PASSAGES), {"answer": "text", "passages": "sources"}),
        ([WRONG, PASSAGES], {"answer": lambda r: r[0], "passages": lambda r: r[1]}),
    ],
)
def test_answers_inside_objects(returned, extracts):
    """By key, attribute or function."""
    found = guarded(guard(), **extracts)(lambda: returned)()
    assert found.action is Action.BLOCK
    assert [p.text for p in found.report.passages] == PASSAGES


@pytest.mark.parametrize(
    ("option", "asked"),
    [(None, "default?"), ("topic", "the topic"), (lambda topic, question="": f"about {topic}", "about the topic")],
)
def test_the_question(option, asked):
    """By the name of a parameter, or a function of the arguments; defaults count."""

    def answer(topic, question="default?"):
        return RIGHT, PASSAGES

    assert guarded(guard(), question=option)(answer)("the topic").report.question == asked


def test_a_question_that_is_no_text_is_none():
    """``query`` may be an object of some framework."""
    assert guarded(guard())(lambda query: (RIGHT, PASSAGES))({"a": 1}).report.question is None


class Service:
    """Methods of every sort."""

    built = RIGHT

    @guarded(guard())
    def answer(self, question):
        return self.built, PASSAGES

    @classmethod
    @guarded(guard())
    def of_class(cls, question):
        return cls.built, PASSAGES

    @staticmethod
    @guarded(guard())
    async def alone(question):
        return WRONG, PASSAGES


class AsyncCallable:
    async def __call__(self, question):
        return WRONG, PASSAGES


def test_methods_partials_and_objects():
    """Whatever can be called."""
    assert Service().answer("?").text == RIGHT
    assert Service.of_class("?").text == RIGHT
    assert asyncio.run(Service.alone("?")).action is Action.BLOCK
    assert asyncio.run(guarded(guard())(functools.partial(awaited, feedback="x"))("?")).text == RIGHT
    assert asyncio.run(guarded(guard())(AsyncCallable())("?")).action is Action.BLOCK


def test_feedback_says_what_was_wrong_and_other_arguments_stay():
    """Also where the parameter stands before others that were passed by position."""
    told = []

    def answer(question, feedback=None, top=1):
        told.append((question, feedback, top))
        return (RIGHT if feedback else WRONG), PASSAGES[:top]

    found = guarded(guard("regenerate"))(answer)("?", None, 2)
    assert found.text == RIGHT
    assert [(question, top) for question, _, top in told] == [("?", 2), ("?", 2)]
    assert RAW in told[1][1].text


def test_without_a_parameter_for_feedback_nothing_is_asked_again():
    """What the policy does where attempts run out."""
    found = guarded(guard("regenerate"))(lambda question: (WRONG, PASSAGES))("?")
    assert (found.text, found.attempts, found.exhausted) == (BLOCKED["en"], 1, True)


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


def test_passages_are_yielded_once():
    """A second list would be ignored by those who check as they go."""

    def twice():
        yield PASSAGES
        yield RIGHT
        yield PASSAGES

    with pytest.raises(UsageError, match="after its passages"):
        list(guarded(guard())(twice)())


def test_type_checkers_see_parameters_and_results(tmp_path):
    """``reveal_type`` of each kind."""
    pytest.importorskip("mypy")
    code = """
from collections.abc import AsyncIterator, Iterator
from guardrail import Guard
from guardrail.wrap.function import guarded

@guarded(Guard())
def plain(question: str, top: int = 3) -> tuple[str, list[str]]: ...
@guarded(Guard(), deliver="text")
async def awaited(question: str) -> tuple[str, list[str]]: ...
@guarded(Guard())
def words(question: str) -> Iterator[str | list[str]]: ...
@guarded(Guard(), deliver="text")
def awords(question: str) -> AsyncIterator[str | list[str]]: ...

reveal_type(plain)
reveal_type(awaited)
reveal_type(words)
reveal_type(awords)
"""
    file = tmp_path / "typed.py"
    file.write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--disable-error-code=empty-body", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    said = re.sub(r"\b[a-z_]+\.(?:[a-z_]+\.)*(?=[A-Za-z])", "", said)  # versions differ in how they name types
    assert "def (question: str, top: int =) -> GuardedAnswer" in said
    assert "def (question: str) -> Coroutine[Any, Any, str]" in said
    assert "def (question: str) -> Iterator[Delta |" in said
    assert "def (question: str) -> AsyncIterator[str]" in said
    assert "error" not in said
