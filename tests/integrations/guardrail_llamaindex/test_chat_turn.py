"""One turn again, told what was wrong."""

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedChatEngine
from llama_index.core.retrievers import BaseRetriever

from guardrail import Action, Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.llama_chats import (
    AGAIN,
    GOOD,
    MENDED,
    RUNS,
    guard_for,
    history,
    inner_engine,
    recorded,
    retriever,
    say,
)


@pytest.mark.parametrize("run", ["chat", "astream_chat"])
def test_regeneration_leaves_no_trace_in_the_history(run):
    """The feedback goes to the model with the same nodes, and neither it nor the first answer is kept."""
    model, asked = recorded(), []
    inner = inner_engine("condense_plus_context", model)

    class Once(BaseRetriever):
        def _retrieve(self, query_bundle):
            asked.append(query_bundle.query_str)
            return retriever().retrieve(query_bundle)

    inner._retriever = Once()
    text, response = say(GuardedChatEngine(inner, guard_for("regenerate")), run)
    assert asked == ["How high is the dam?"]
    assert text == MENDED
    assert response.metadata["guardrail"].attempts == 2
    assert GOOD in model.prompts[-1]
    assert "Fish live in it." in model.prompts[-1]
    assert history(inner) == [("user", "How high is the dam?"), ("assistant", MENDED)]


@pytest.mark.parametrize("run", RUNS)
def test_an_engine_that_prompts_from_its_memory_sees_the_feedback(run):
    """SimpleChatEngine reads the message back from its memory: the one for a new answer shows it, and keeps nothing."""
    model = recorded()
    inner = inner_engine("simple", model)
    policy = Policy(name="test", actions={"unverified": "regenerate"}, on_exhausted="allow")
    say(GuardedChatEngine(inner, Guard(policy=policy, engine=FakeEngine())), run)
    assert len(model.prompts) == 2
    assert AGAIN in model.prompts[1]
    assert [role for role, _ in history(inner)] == ["user", "assistant"]
    assert AGAIN not in repr(inner.chat_history)


@pytest.mark.parametrize("run", RUNS)
def test_a_callable_or_nobody_regenerates(run):
    """``regenerate`` may be a callable; with False nobody is asked and the policy's on_exhausted applies."""
    engine = GuardedChatEngine(inner_engine("context"), guard_for("regenerate"), regenerate=lambda _: "It is high.")
    assert say(engine, run)[0] == "It is high."
    never = GuardedChatEngine(inner_engine("context"), guard_for("regenerate"), regenerate=False)
    assert say(never, run)[1].metadata["guardrail"].action is Action.BLOCK
