"""Answers that are objects: one field is checked, the object keeps its type and its other fields."""

import asyncio
import json
from enum import Enum

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedQueryEngine, GuardrailEvaluator
from llama_index.core.base.response.schema import PydanticResponse, Response
from pydantic import BaseModel

from guardrail import Guard, Policy, UsageError
from tests.support.llama_queries import BAD, GOOD, Height, Structured, fixture_nodes, guard_for


class Level(Enum):
    """A choice."""

    HIGH = "high"


class Said(BaseModel):
    """An answer with data for programs beside it."""

    note: str = ""
    answer: str
    metres: int = 64
    sources: list[str] = ["survey-1963.pdf"]
    level: Level = Level.HIGH
    needs_human: bool = False


class Engine(Structured):
    """Answers with any object."""

    answer: BaseModel


def asked(value, guard, run="query", **options):
    engine = GuardedQueryEngine(Engine(answer=value), guard, **options)
    return engine.query("How high?") if run == "query" else asyncio.run(engine.aquery("How high?"))


@pytest.mark.parametrize("run", ["query", "aquery"])
@pytest.mark.parametrize(
    ("action", "expected"),
    [("flag", f"{GOOD} {BAD}"), ("redact", GOOD), ("block", "I can't give a reliable answer"), ("annotate", "[^g1]")],
)
def test_an_object_keeps_its_type_and_its_other_fields(action, expected, run):
    """What the policy does happens inside the field."""
    response = asked(Said(answer=f"{GOOD} {BAD}", note=f"{GOOD} {BAD}"), guard_for(action), run)
    assert isinstance(response, PydanticResponse)
    value = response.response
    assert type(value) is Said
    assert value.answer == expected if action in ("flag", "redact") else expected in value.answer
    assert value.note == value.answer
    assert (value.metres, value.sources, value.level) == (64, ["survey-1963.pdf"], Level.HIGH)
    assert json.loads(str(response))["answer"] == value.answer
    assert response.metadata["guardrail"].text == value.answer


def test_a_right_answer_passes_the_local_engine_whatever_stands_beside_it():
    """Names of files, choices and flags are no prose."""
    value = Said(answer="The dam is 64 metres high.", note="asked once", metres=12)
    response = asked(value, Guard(policy=Policy.strict()))
    assert response.response == value
    assert [f.text for f in response.metadata["guardrail"].report.findings] == ["The dam is 64 metres high."]


def test_the_caller_may_name_the_field():
    """Where several hold prose."""
    value = Said(answer=GOOD, note=BAD)
    assert asked(value, guard_for("block"), answer_field="note").response.note.startswith("I can't")
    with pytest.raises(UsageError, match=r"has no field 'anwser' for the answer\. Did you mean 'answer'"):
        asked(value, guard_for("block"), answer_field="anwser")


class Facts(BaseModel):
    """An object without free text."""

    facts: list[str]
    metres: int


@pytest.mark.parametrize("value", [Facts(facts=[GOOD, BAD], metres=1), Said(answer="", sources=[BAD])])
def test_an_object_without_a_text_is_checked_whole(value):
    """One value a line; a plain Response stands in its place where anything changes."""
    blocked = asked(value, guard_for("block"), hide_from="all")
    assert type(blocked) is Response
    assert "sharks" not in repr(blocked)
    right = Facts(facts=[GOOD], metres=64)
    passed = asked(right, guard_for("block"))
    assert passed.response is right
    assert passed.metadata["guardrail"].report.answer == f"{GOOD}\nmetres: 64"


def test_the_evaluator_reads_the_same_field():
    """A response that the guarded engine delivers as it is passes."""
    response = PydanticResponse(Height(says=GOOD, metres=1, more=[BAD]), fixture_nodes(), {})
    assert GuardrailEvaluator(guard_for("flag")).evaluate_response("?", response).response == GOOD
