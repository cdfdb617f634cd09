"""What a conversation remembers."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedChatEngine
from llama_index.core.chat_engine import (
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

from guardrail import Action, Policy, UsageError
from tests.support.llama_chats import BAD, GOOD, RUNS, guard_for, history, inner_engine, recorded, retriever, say


@pytest.mark.parametrize("run", RUNS)
def test_the_next_turn_sees_what_was_delivered(run):
    """The model's next prompt holds the redacted answer, never the raw one; and the question once."""
    model = recorded(**{"And how deep?": "It is deep."})
    engine = GuardedChatEngine(inner_engine("context", model), guard_for("redact"))
    say(engine, run)
    say(engine, run, "And how deep?")
    assert GOOD in model.prompts[-1]
    assert model.prompts[-1].count("How high is the dam?") == 1
    assert "sharks" not in model.prompts[-1]
    engine.reset()
    assert history(engine) == []


@pytest.mark.parametrize("run", RUNS)
def test_history_given_by_the_caller_is_used(run):
    """``chat_history`` stands in place of what there was, as in the inner engine."""
    model = recorded()
    engine = GuardedChatEngine(inner_engine("context", model), guard_for("redact"))
    given = [ChatMessage(role="user", content="Hello."), ChatMessage(role="assistant", content="Good day.")]
    say(engine, run, chat_history=given)
    assert "Good day." in model.prompts[0]
    assert history(engine)[:2] == [("user", "Hello."), ("assistant", "Good day.")]
    assert history(engine)[-1] == ("assistant", GOOD)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_default_memory():
    """LlamaIndex's database-backed Memory works the same."""
    inner = inner_engine("context", memory=Memory.from_defaults(token_limit=3000))
    assert say(GuardedChatEngine(inner, guard_for("redact")), "chat")[0] == GOOD
    assert history(inner)[-1] == ("assistant", GOOD)
    asyncio.run(inner._memory.sql_store._async_engine.dispose())


def test_an_engine_without_a_memory_is_refused(caplog):
    """Blocked text could stay where nobody can reach it; the caller has to say that this is not so."""

    class Stateless(SimpleChatEngine):
        def __init__(self, inner):
            self._retriever = retriever()

        def chat(self, message, chat_history=None):
            return AgentChatResponse(f"{GOOD} {BAD}", source_nodes=retriever().retrieve(message))

    with pytest.raises(UsageError, match="memory=None"):
        GuardedChatEngine(Stateless(None), guard_for("redact"))
    engine = GuardedChatEngine(Stateless(None), guard_for("regenerate"), memory=None)
    assert engine.chat("How high?").metadata["guardrail"].action is Action.BLOCK
    assert not caplog.records  # it was not asked again: it might keep what it is told
    with pytest.raises(UsageError, match="must be a Guard"):
        GuardedChatEngine(inner_engine("simple"), Policy.strict())
