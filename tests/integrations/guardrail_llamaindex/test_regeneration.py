"""A query engine answers again from the same nodes."""

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedQueryEngine
from llama_index.core.base.response.schema import (
    PydanticResponse,
)
from llama_index.core.query_engine import CustomQueryEngine

from guardrail import Action, UsageError
from tests.support.llama_queries import (
    AGAIN,
    BAD,
    GOOD,
    MENDED,
    RUNS,
    TEXT,
    Height,
    Structured,
    ask,
    guard_for,
    inner_engine,
    llm,
)


def test_regenerates_from_the_same_nodes():
    """The inner engine's synthesizer gets the question, what was wrong, and the same nodes; the attempts are told."""
    model = llm()
    response = GuardedQueryEngine(inner_engine(model), guard_for("regenerate")).query("How high is the dam?")
    assert str(response) == MENDED
    assert response.metadata["guardrail"].attempts == 2
    assert len(model.prompts) == 2
    assert all(words in model.prompts[1] for words in (AGAIN, BAD, TEXT, GOOD, "How high is the dam?"))


def test_regeneration_that_fails_again_is_marked():
    """The same fault twice: nothing of it is delivered, and ``exhausted`` says so."""
    model = llm(again=f"Indeed: {BAD}")
    engine = GuardedQueryEngine(inner_engine(model), guard_for("regenerate"), hide_from="all")
    response = engine.query("How high?")
    assert response.metadata["guardrail"].exhausted
    assert response.metadata["guardrail"].action is Action.BLOCK
    assert "sharks" not in repr(response)


@pytest.mark.parametrize("run", RUNS)
def test_a_callable_regenerates(run):
    """A callable is asked instead of the engine; with False nobody is."""
    asked = []

    def generate(feedback):
        asked.append(feedback.question)
        return MENDED

    engine = GuardedQueryEngine(inner_engine(streaming="stream" in run), guard_for("regenerate"), regenerate=generate)
    assert ask(engine, run, "How high?")[0] == MENDED
    assert asked == ["How high?"]
    never = GuardedQueryEngine(inner_engine(), guard_for("regenerate"), regenerate=False).query("How high?")
    assert never.metadata["guardrail"].action is Action.BLOCK


def test_a_regenerated_object_keeps_its_shape():
    """The object that was made again is the one that is delivered."""

    class Twice(Structured):
        def synthesize(self, query_bundle, nodes, additional_source_nodes=None):
            return PydanticResponse(Height(says=MENDED, metres=64), nodes)

    wrong = Twice(answer=Height(says=BAD, metres=1))
    response = GuardedQueryEngine(wrong, guard_for("regenerate")).query("How high?")
    assert isinstance(response, PydanticResponse)
    assert (response.says, response.metres) == (MENDED, 64)


def test_an_engine_that_cannot_answer_again_is_refused_only_where_it_was_asked_to():
    """``regenerate=True``; by default the policy decides without a new answer."""

    class Fixed(CustomQueryEngine):
        def custom_query(self, query_str):
            return f"{GOOD} {BAD}"

    with pytest.raises(UsageError, match="Fixed cannot answer again from given nodes"):
        GuardedQueryEngine(Fixed(), guard_for("regenerate"), regenerate=True)
    assert GuardedQueryEngine(Fixed(), guard_for("regenerate")).query("?").metadata["guardrail"].attempts == 1
    assert GuardedQueryEngine(inner_engine(), guard_for("regenerate"), regenerate=True)
