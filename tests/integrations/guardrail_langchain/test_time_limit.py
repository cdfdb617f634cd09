"""A retriever that hangs inside somebody's chain: ``answer_timeout`` ends the wait, with the policy's refusal."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from threading import Event
from typing import Any

import pytest
from guardrail_langchain import guard_chain
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from guardrail import Action, Cause, Guard, Policy, Verdict
from guardrail.repair.edits import TIMED_OUT
from guardrail.testing import FakeEngine
from guardrail.wrap.time_limit import NoAnswerInTime
from tests.support.garage import FACT, QUESTION

# A chain that is left behind in its thread ends when it likes; its generators may complain when they are collected.
pytestmark = [pytest.mark.clock, pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")]


class Hanging(BaseRetriever):
    """Waits for ``end``; the first query is answered at once, where ``after`` is 1."""

    end: Any
    longest: float = 600.0
    after: int = 0
    asked: Any

    def _get_relevant_documents(self, query, *, run_manager):
        self.asked.append(query)
        if len(self.asked) > self.after:
            self.end.wait(self.longest)
        return [Document(FACT)]

    async def _aget_relevant_documents(self, query, *, run_manager):
        self.asked.append(query)
        if len(self.asked) > self.after:
            await asyncio.sleep(self.longest)
        return [Document(FACT)]


@pytest.fixture
def end():
    event = Event()
    yield event
    event.set()


def chain_of(end, last, after=0, longest=600.0):
    """``longest`` is shorter where asyncio.run waits at its end for the thread in which the retriever hangs."""
    retriever = Hanging(end=end, after=after, longest=longest, asked=[])
    given = {"context": retriever, "input": RunnablePassthrough()}
    prompt = ChatPromptTemplate.from_template("{context} {input}")
    if last == "dict":
        context = RunnablePassthrough.assign(context=(lambda x: x["input"]) | retriever)
        return context.assign(answer=RunnableLambda(lambda _: FACT))
    steps = given | prompt | FakeListChatModel(responses=[FACT])
    return steps | StrOutputParser() if last == "text" else steps


def called(chain, how, given):
    if how == "invoke":
        return chain.invoke(given)
    if how == "ainvoke":
        return asyncio.run(chain.ainvoke(given))
    if how == "stream":
        return _sum(chain.stream(given))

    async def collected():
        return [part async for part in chain.astream(given)]

    return _sum(asyncio.run(collected()))


def _sum(parts):
    whole = None
    for part in parts:
        whole = part if whole is None else whole + part
    return whole


@pytest.mark.parametrize("policy", [Policy.strict(), Policy.monitor()])
@pytest.mark.parametrize("last", ["dict", "text", "message"])
@pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream", "astream"])
def test_a_hanging_retriever_ends_in_the_refusal(end, how, last, policy):
    """In the shape of the chain's answers; where the policy is open too, for there is nothing to let through."""
    heard = []
    guard = Guard(policy=policy, engine=FakeEngine())
    inner = chain_of(end, last, longest=5.0 if (how, last) == ("astream", "dict") else 600.0)
    chain = guard_chain(inner, guard, answer_timeout=0.2, listener=heard.append)
    said = called(chain, how, {"input": QUESTION} if last == "dict" else QUESTION)
    (guarded,) = heard
    text = {"dict": lambda: said["answer"], "text": lambda: said, "message": lambda: said.content}[last]()
    assert text == guarded.text == TIMED_OUT["en"]
    assert (guarded.action, guarded.report.verdict) == (Action.BLOCK, Verdict.UNVERIFIED)
    assert guarded.report.findings[0].cause is Cause.TIMEOUT
    assert guarded.report.question == QUESTION
    assert "no answer within 0.2 s" in guarded.report.reason
    if last == "dict":
        assert said["guardrail"] is guarded
    if last == "message":
        assert said.response_metadata["guardrail"]["action"] == "block"


@pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream", "astream"])
def test_a_chain_that_answers_in_time_is_not_disturbed(end, how):
    """The limit is on what is inside, and the next call has its own."""
    guard = Guard(policy=Policy.strict(), engine=FakeEngine())
    chain = guard_chain(chain_of(end, "dict", after=1), guard, answer_timeout=60)
    assert called(chain, how, {"input": QUESTION})["answer"] == FACT


@pytest.mark.parametrize("how", ["invoke", "stream"])
def test_a_chain_that_does_not_tell_its_shape_raises(end, how):
    """A refusal in a made-up shape would break the caller later, and further away."""
    silent = chain_of(end, "message") | RunnableLambda(lambda message: {"said": message.content})
    chain = guard_chain(silent, Guard(engine=FakeEngine()), answer_timeout=0.2)
    with pytest.raises(NoAnswerInTime, match=r"within 0\.2 s"):
        called(chain, how, QUESTION)


EXITS = """
import time
from guardrail_langchain import guard_chain
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda
from guardrail import Guard, Policy
from guardrail.testing import FakeEngine

chain = RunnableLambda(lambda question: time.sleep(600)) | StrOutputParser()
print(guard_chain(chain, Guard(policy=Policy.strict(), engine=FakeEngine()), answer_timeout=0.2).invoke("How high?"))
"""


def test_the_thread_that_was_left_behind_does_not_hold_the_exit():
    """A service that is told to stop stops."""
    done = subprocess.run([sys.executable, "-c", EXITS], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, TIMED_OUT["en"]), done.stderr
