"""What is no engine is refused, with what to write."""

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedAgent, GuardedChatEngine, GuardedQueryEngine
from llama_index.core import SummaryIndex
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent

from guardrail import Guard, UsageError
from guardrail.testing import FakeEngine
from tests.support import llama_chats, llama_queries
from tests.support.llama_agents import ScriptedLLM

pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")  # LlamaIndex's own

GUARD = Guard(engine=FakeEngine())


def agent():
    return FunctionAgent(name="a", description="", tools=[], llm=ScriptedLLM())


GIVEN = {
    "SummaryIndex": lambda: SummaryIndex([]),
    "ListRetriever": lambda: SummaryIndex([]).as_retriever(),
    "query engine": llama_queries.inner_engine,
    "chat engine": lambda: llama_chats.inner_engine("context"),
    "FunctionAgent": agent,
    "AgentWorkflow": lambda: AgentWorkflow(agents=[agent()]),
}
WRITE = {
    "FunctionAgent": "Write GuardedAgent(agent, guard).",
    "AgentWorkflow": "Write GuardedAgent(agent, guard).",
    "query engine": "Write GuardedQueryEngine(engine, guard).",
    "chat engine": "Write GuardedChatEngine(engine, guard).",
    "ListRetriever": "Write GuardedQueryEngine(RetrieverQueryEngine.from_args(retriever), guard).",
}
OWN = {
    GuardedQueryEngine: ("query engine", "Write GuardedQueryEngine(index.as_query_engine(), guard)."),
    GuardedChatEngine: ("chat engine", "Write GuardedChatEngine(index.as_chat_engine(), guard)."),
}


@pytest.mark.parametrize("wrapper", OWN)
@pytest.mark.parametrize("kind", GIVEN)
def test_what_is_given_in_its_place_is_named(kind, wrapper):
    """The class that was given, and the line to write."""
    own, index = OWN[wrapper]
    given = GIVEN[kind]()
    if kind == own:
        assert wrapper(given, GUARD).inner is given
        return
    with pytest.raises(UsageError) as caught:
        wrapper(given, GUARD)
    assert str(caught.value).startswith(f"expected a {own}, got {type(given).__name__}. ")
    assert WRITE.get(kind, index) in str(caught.value)


def test_agents():
    """Of both kinds; other things are refused."""
    for each in (agent(), AgentWorkflow(agents=[agent()])):
        assert GuardedAgent(each, GUARD).inner is each
    with pytest.raises(UsageError, match=r"expected an agent, got NoneType. To check answers of something else, call"):
        GuardedAgent(None, GUARD)
