"""Every LangChain integration x every way to call it x every action, on real chains with a scripted model."""

from __future__ import annotations

import asyncio
import functools
import operator
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, TypedDict

import pytest

pytest.importorskip("langchain", reason="agents and graphs need langchain 1.x")

from guardrail_langchain import GuardrailMiddleware, guard_chain, guardrail_node
from guardrail_langchain.demo import WordEmbeddings
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools import tool
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from guardrail import Action, Guard, Policy
from guardrail.testing import FakeEngine

TOWNS = range(4)
QUESTIONS = [f"When was the bridge of Town{k} built?" for k in TOWNS]
STORE = InMemoryVectorStore(WordEmbeddings())
STORE.add_documents(
    [
        Document(id=f"d{k}", page_content=f"The bridge of Town{k} was built in 18{k}0.", metadata={"page": k})
        for k in TOWNS
    ]
)
RETRIEVER = STORE.as_retriever(search_kwargs={"k": 1})
PROMPT = ChatPromptTemplate.from_template("Answer from the documents.\n{context}\nQuestion: {input}")


def good(k):
    return f"The bridge of Town{k} was built in 18{k}0."


def raw(k):
    return f"{good(k)} Its mayor invented the Soup{k} in a cellar."


class Scripted(BaseChatModel):
    """Invents something, until it is told so; calls the tool first where it may."""

    searches: bool = False

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **_):
        return self.model_copy(update={"searches": bool(tools)})

    def _reply(self, messages):
        town = int(re.findall(r"Town(\d)", " ".join(str(m.content) for m in messages if m.type == "human"))[-1])
        if self.searches and not any(isinstance(m, ToolMessage) for m in messages):
            call = {"name": "search", "args": {"query": QUESTIONS[town]}, "id": f"call{town}"}
            return AIMessage(content="", tool_calls=[call])
        told = "invented" in str(messages[-1].content)
        return AIMessage(content=good(town) if told else raw(town), id=f"run-{town}")

    def _generate(self, messages, *_, **__):
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages))])

    def _stream(self, messages, stop=None, run_manager=None, **_):
        reply = self._reply(messages)
        if reply.tool_calls:
            calls = [{**c, "args": '{"query": "' + c["args"]["query"] + '"}', "index": 0} for c in reply.tool_calls]
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))
            return
        for word in re.findall(r"\S+\s*", reply.content):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=word, id=reply.id))
            if run_manager:
                run_manager.on_llm_new_token(word, chunk=chunk)
            yield chunk


MODEL = Scripted()


def joined(documents):
    return "\n".join(d.page_content for d in documents)


def retrieval_chain(guard):
    """As create_retrieval_chain makes it: a dict with the documents."""
    step = PROMPT | MODEL | StrOutputParser()
    chain = RunnablePassthrough.assign(context=(lambda x: x["input"]) | RETRIEVER).assign(answer=step)
    return guard_chain(chain, guard, regenerate=True)


def lcel_chain(guard):
    """Ends in a string: the documents are caught on their way."""
    chain = {"context": RETRIEVER | joined, "input": RunnablePassthrough()} | PROMPT | MODEL | StrOutputParser()
    again = RunnableLambda(lambda x: {"context": joined(x["passages"]), "input": f"{x['question']} {x['feedback']}"})
    return guard_chain(chain, guard, regenerate=again | PROMPT | MODEL | StrOutputParser())


@tool(response_format="content_and_artifact")
def search(query: str):
    """Search the documents."""
    documents = RETRIEVER.invoke(query)
    return "see the artifact", documents


def agent(guard):
    return create_agent(MODEL, [search], middleware=[GuardrailMiddleware(guard)])


class State(TypedDict, total=False):
    messages: Annotated[list, add_messages]
    context: list
    guardrail: dict


def graph(guard):
    """Retrieve, then the guarded node."""

    def retrieve(state):
        return {"context": RETRIEVER.invoke(state["messages"][-1].content)}

    def generate(state):
        return {"messages": [MODEL.invoke(state["messages"])]}

    def again(asked):
        return MODEL.invoke([HumanMessage(f"{asked['question']} {asked['feedback']}")])

    built = StateGraph(State)
    built.add_node("retrieve", retrieve)
    built.add_node("answer", guardrail_node(guard, around=generate, regenerate=again))
    built.add_edge(START, "retrieve")
    built.add_edge("retrieve", "answer")
    built.add_edge("answer", END)
    return built.compile()


def ask_dict(question):
    return {"input": question}


def ask_messages(question):
    return {"messages": [HumanMessage(question)]}


KINDS = {
    "retrieval_chain": (retrieval_chain, ask_dict),
    "lcel": (lcel_chain, str),
    "agent": (agent, ask_messages),
    "graph": (graph, ask_messages),
}
EVERY = ["values", "messages", "updates", "custom"]


def left(output):
    """Everything that left the wrapper, as text; of the GuardedAnswer only what is to be delivered."""
    if isinstance(output, dict):
        return " ".join(left(v) for k, v in output.items() if k != "guardrail" or isinstance(v, dict))
    return " ".join(map(left, output)) if isinstance(output, (list, tuple)) else str(output)


def answer_of(output):
    """The delivered text of an output."""
    if isinstance(output, str):
        return output
    return output["answer"] if "answer" in output else output["messages"][-1].text


def added(parts):
    """A stream's parts, and the output that they come to."""
    parts = list(parts)
    if isinstance(parts[0], tuple):
        return next(data for mode, data in reversed(parts) if mode == "values"), left(parts)
    return functools.reduce(operator.add, parts), left(parts)


async def collected(stream):
    return [part async for part in stream]


def modes(chain):
    return {"stream_mode": EVERY} if hasattr(chain, "stream_channels") else {}


async def all_tasks(chain, given):
    return await asyncio.gather(*(chain.ainvoke(each) for each in given))


async def all_streams(chain, given):
    return await asyncio.gather(*(collected(chain.astream(each, **modes(chain))) for each in given))


def in_threads(call, given):
    with ThreadPoolExecutor(len(TOWNS)) as pool:
        return list(pool.map(call, given))


def pairs(outputs):
    return [(output, left(output)) for output in outputs]


CALLS = {
    "invoke": lambda c, given: pairs([c.invoke(given[0])]),
    "ainvoke": lambda c, given: pairs([asyncio.run(c.ainvoke(given[0]))]),
    "stream": lambda c, given: [added(c.stream(given[0], **modes(c)))],
    "astream": lambda c, given: [added(asyncio.run(collected(c.astream(given[0], **modes(c)))))],
    "batch": lambda c, given: pairs(c.batch(given)),
    "abatch": lambda c, given: pairs(asyncio.run(c.abatch(given))),
    "4 threads": lambda c, given: pairs(in_threads(c.invoke, given)),
    "4 tasks": lambda c, given: pairs(asyncio.run(all_tasks(c, given))),
    "4 streams": lambda c, given: [added(s) for s in in_threads(lambda g: list(c.stream(g, **modes(c))), given)],
    "4 astreams": lambda c, given: [added(s) for s in asyncio.run(all_streams(c, given))],
}


def with_action(action):
    return Policy(actions={"unsupported": action, "contradicted": action}, on_exhausted=Action.BLOCK)


ACTIONS = {action: with_action(action) for action in ("allow", "annotate", "redact", "regenerate", "block")}
WITHHELD = ("redact", "regenerate", "block")


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_integration_however_it_is_called_does_what_the_policy_says(kind, call, action):
    """And each call gets its own answer; what is withheld is in nothing that leaves."""
    make, ask = KINDS[kind]
    engine = FakeEngine({"invented": "unsupported"})
    outcomes = CALLS[call](make(Guard(policy=ACTIONS[action], engine=engine)), [ask(q) for q in QUESTIONS])
    assert len(outcomes) == (len(TOWNS) if call[0] == "4" or "batch" in call else 1)
    for k, (output, text) in enumerate(outcomes):
        answer = answer_of(output)
        if action == "allow":
            assert answer == raw(k)
        elif action == "annotate":
            assert answer.startswith(f"{good(k)} Its mayor invented the Soup{k} in a cellar.[^g1]")
        elif action in ("redact", "regenerate"):
            assert answer.strip() == good(k)
        else:
            assert answer.startswith("I can't give a reliable answer")
            assert good(k) not in answer
        if action in WITHHELD:
            assert "invented" not in text
            assert "Soup" not in text
    checked = {passage.text for request in engine.calls for passage in request.passages}
    assert checked == {good(k) for k in range(len(outcomes))}
    assert all(len(request.passages) == 1 for request in engine.calls)
