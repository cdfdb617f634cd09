"""Histories keep what was delivered: around the guard they do, and inside it they are refused."""

from __future__ import annotations

import asyncio

import pytest
from guardrail_langchain import guard_chain, guardrail_node
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableBranch, RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory

from guardrail import UsageError
from tests.support.garage import END, FACT, INVENTED, QUESTION, RAW

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of LangChain: it prefers checkpointers

CONFIG = {"configurable": {"session_id": "1"}}


class Sessions(dict):
    """Session id -> history."""

    def __call__(self, session_id):
        return self.setdefault(session_id, InMemoryChatMessageHistory())


def chatting(retriever, asked, last=None):
    """A retrieval chain with a history in its prompt; keeps its prompts."""
    prompt = ChatPromptTemplate.from_messages(
        [("system", "{context}"), MessagesPlaceholder("history", optional=True), ("human", "{input}")]
    )
    model = GenericFakeChatModel(messages=iter([AIMessage(RAW), AIMessage(FACT)] * 2))

    def keep(value):
        asked.append(value.to_string())
        return value

    step = prompt | keep | model
    step = step | last if last else step
    return RunnablePassthrough.assign(context=(lambda x: x["input"]) | retriever).assign(answer=step)


def around(chain, sessions, **keys):
    return RunnableWithMessageHistory(
        chain, sessions, input_messages_key="input", history_messages_key="history", **keys
    )


async def drain(stream):
    return [part async for part in stream]


HOW = {
    "invoke": lambda chain: chain.invoke({"input": QUESTION}, CONFIG),
    "ainvoke": lambda chain: asyncio.run(chain.ainvoke({"input": QUESTION}, CONFIG)),
    "stream": lambda chain: list(chain.stream({"input": QUESTION}, CONFIG)),
    "astream": lambda chain: asyncio.run(drain(chain.astream({"input": QUESTION}, CONFIG))),
}


@pytest.mark.parametrize("last", [None, StrOutputParser()], ids=["message", "text"])
@pytest.mark.parametrize("mode", ["buffer", "sentence"])
@pytest.mark.parametrize("how", HOW)
def test_a_history_around_the_guard_keeps_what_was_delivered(how, mode, last, guard, retriever):
    """And the next prompt repeats that, whatever the way to call it."""
    asked, sessions = [], Sessions()
    chain = guard_chain(chatting(retriever, asked, last), guard(), mode=mode)
    chain = around(chain, sessions, output_messages_key="answer")
    HOW[how](chain)
    assert [m.type for m in sessions["1"].messages] == ["human", "ai"] or last is None
    delivered = f"{FACT} {END}"
    assert [m.text for m in sessions["1"].messages] == [QUESTION, delivered]
    HOW[how](chain)
    assert delivered in asked[1]
    assert INVENTED not in asked[1]
    assert [m.text for m in sessions["1"].messages] == [QUESTION, delivered, QUESTION, FACT]


def wrong_orders():
    chain = around(RunnableLambda(lambda _: RAW), Sessions())
    return {
        "alone": chain,
        "sequence": chain | StrOutputParser(),
        "last": RunnableLambda(lambda x: x) | chain,
        "binding": chain.with_config(tags=["t"]).with_retry(),
        "assign": RunnablePassthrough.assign(answer=chain),
        "parallel": RunnableParallel(answer=chain, context=RunnableLambda(lambda _: [])),
        "branch": RunnableBranch((lambda _: True, chain), RunnableLambda(lambda _: "")),
        "fallback": RunnableLambda(lambda _: RAW).with_fallbacks([chain]),
        "function": RunnableLambda(lambda x: str(chain.invoke(x))),
        "method": RunnableLambda(chain.invoke),
    }


@pytest.mark.parametrize(
    "order",
    ["alone", "sequence", "last", "binding", "assign", "parallel", "branch", "fallback", "function", "method"],
)
def test_a_history_inside_the_guard_is_refused(order, guard, lcel):
    """It would keep the raw answer, and the next prompt would repeat it."""
    chain = wrong_orders()[order]
    message = r"RunnableWithMessageHistory stands inside .*RunnableWithMessageHistory\(guard_chain\(chain, guard\)"
    with pytest.raises(UsageError, match=message):
        guard_chain(chain, guard())
    with pytest.raises(UsageError, match=message):
        guardrail_node(guard(), around=chain)
    with pytest.raises(UsageError, match=message):
        guard_chain(lcel(StrOutputParser()), guard(), regenerate=chain)


def test_the_memory_of_a_chain_is_refused_and_its_history_may_be_passed(guard, retriever):
    """ConversationalRetrievalChain returned the raw answer under ``chat_history``, one question later."""
    pytest.importorskip("langchain_classic")
    from langchain_classic.chains import ConversationalRetrievalChain
    from langchain_classic.memory import ConversationBufferMemory

    def chain(**options):
        model = GenericFakeChatModel(messages=iter([AIMessage(RAW), AIMessage(QUESTION), AIMessage(FACT)]))
        return ConversationalRetrievalChain.from_llm(model, retriever, **options)

    memory = ConversationBufferMemory(memory_key="chat_history", return_messages=True)
    for wrong in (chain(memory=memory), RunnableLambda(lambda x: x) | chain(memory=memory)):
        with pytest.raises(UsageError, match=r"the memory of ConversationalRetrievalChain .*without memory="):
            guard_chain(wrong, guard())
    guarded, history = guard_chain(chain(), guard()), []
    for _ in range(2):
        output = guarded.invoke({"question": QUESTION, "chat_history": list(history)})
        assert INVENTED not in str({**output, "guardrail": None})
        history.append((QUESTION, output["answer"]))
    assert [answer for _, answer in history] == [f"{FACT} {END}", FACT]
