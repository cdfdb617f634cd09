"""What is known of a decorated function."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass

import pytest

from guardrail import Action
from guardrail.repair.edits import BLOCKED
from guardrail.wrap.function import guarded
from tests.support.guarded_functions import PASSAGES, RAW, RIGHT, WRONG, awaited, guard


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
