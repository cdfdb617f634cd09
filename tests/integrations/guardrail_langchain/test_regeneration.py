"""How a chain answers again, and which options are refused."""

from __future__ import annotations

import asyncio
import functools
import operator

import pytest
from guardrail_langchain import guard_chain
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableGenerator, RunnableLambda, RunnablePassthrough

from guardrail import UsageError
from guardrail.errors import ConfigurationError
from tests.support.garage import FACT, INVENTED, QUESTION, RAW


def test_regenerating_runs_the_last_step_on_the_same_documents_with_the_feedback(document, guard, parts_of):
    """The retriever is not asked again."""
    asked, searched = [], []

    def step(given):
        asked.append(given)
        return RAW if len(asked) == 1 else FACT

    def search(given):
        searched.append(given)
        return [document]

    chain = RunnablePassthrough.assign(context=search).assign(answer=RunnableLambda(step))
    for call in (
        lambda c: c.invoke({"input": QUESTION}),
        lambda c: functools.reduce(operator.add, parts_of(c, {"input": QUESTION})),
    ):
        asked.clear(), searched.clear()
        output = call(guard_chain(chain, guard("regenerate"), regenerate=True))
        assert (output["answer"], output["guardrail"].attempts) == (FACT, 2)
        assert len(searched) == 1
        assert asked[1]["context"] is asked[0]["context"]
        assert asked[1]["input"].startswith(f"{QUESTION}\n\n")
        assert INVENTED in asked[1]["input"]
        assert output["input"] == QUESTION


def test_a_callable_is_asked_with_all_that_there_is(guard, lcel):
    """A coroutine function serves ainvoke."""
    asked = []

    async def again(given):
        asked.append(given)
        return {"answer": AIMessage(FACT)}

    chain = guard_chain(lcel(StrOutputParser()), guard("regenerate"), regenerate=again)
    assert asyncio.run(chain.ainvoke(QUESTION)) == FACT
    [given] = asked
    assert set(given) == {"question", "passages", "feedback", "answer", "input"}
    assert (given["question"], given["input"], given["answer"]) == (QUESTION, QUESTION, RAW)
    assert given["passages"][0].metadata["source"] == "g.md"
    assert INVENTED in given["feedback"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"regenerate": True}, r"needs a chain that ends in `\.assign\(answer=\.\.\.\)`"),
        ({"regenerate": 7}, "regenerate must be True, a Runnable or a callable, got int"),
        ({"mode": "sentences"}, "unknown mode 'sentences'. Did you mean 'sentence'"),
        ({"hide_from": True}, "hide_from must be one of 'nobody', 'streams', 'all', got True"),
    ],
)
def test_wrong_options_are_refused_when_the_chain_is_wrapped(options, message, guard, lcel):
    """Not when the first answer fails."""
    with pytest.raises(UsageError, match=message) as caught:
        guard_chain(lcel(StrOutputParser()), guard(), **options)
    assert isinstance(caught.value, ConfigurationError) or "mode" in options


def test_regenerate_true_is_refused_where_the_last_step_makes_more_than_the_answer(document, guard):
    """The rest would still be about the first answer."""
    chain = RunnablePassthrough.assign(context=lambda _: [document]).assign(answer=lambda _: RAW, cited=lambda _: [1])
    with pytest.raises(ConfigurationError, match="regenerate=True needs a chain"):
        guard_chain(chain, guard("regenerate"), regenerate=True)


def test_regenerate_true_needs_the_question_in_the_output(document, guard):
    """The feedback goes behind it."""
    chain = RunnablePassthrough.assign(context=lambda _: [document]).assign(answer=lambda _: RAW)
    with pytest.raises(UsageError, match=r"none of input, query, question .*\['context', 'text'\]"):
        guard_chain(chain, guard("regenerate"), regenerate=True).invoke({"text": QUESTION})


def test_by_default_a_chain_answers_again_where_it_can(document, guard, lcel):
    """And only there: what it cannot is no mistake of the caller's, who asked for nothing."""
    step = RunnableLambda(lambda given: FACT if INVENTED in str(given) else RAW)
    can = RunnablePassthrough.assign(context=lambda _: [document]).assign(answer=step)
    for given, attempts in (({"input": QUESTION}, 2), ({"text": QUESTION}, 1)):
        found = guard_chain(can, guard("regenerate")).invoke(given)["guardrail"]
        assert found.attempts == attempts or found.exhausted
        assert (found.text == FACT) is (attempts == 2)
    assert guard_chain(can, guard("regenerate"), regenerate=False).invoke({"input": QUESTION})["guardrail"].exhausted
    assert INVENTED not in guard_chain(lcel(StrOutputParser()), guard("regenerate")).invoke(QUESTION)


def counted(text, tokens, kind=AIMessage):
    return kind(text, usage_metadata={"input_tokens": tokens, "output_tokens": 1, "total_tokens": tokens + 1})


@pytest.mark.parametrize("how", ["invoke", "stream", "chunks"])
def test_a_message_tells_the_usage_of_all_calls(how, document, guard, parts_of):
    """Also of those whose text is not delivered."""
    texts = iter([counted(RAW, 10), counted(FACT, 20)])

    def chunks(_):
        yield AIMessageChunk(FACT)
        yield counted(f" {INVENTED}", 10, AIMessageChunk)

    step = RunnableLambda(lambda _: next(texts)) if how != "chunks" else RunnableGenerator(chunks)
    chain = RunnablePassthrough.assign(context=lambda _: [document]).assign(answer=step)
    again = {"regenerate": lambda _: counted(FACT, 20)} if how == "chunks" else {}
    guarded = guard_chain(chain, guard("regenerate"), **again)
    given = {"input": QUESTION}
    output = guarded.invoke(given) if how == "invoke" else functools.reduce(operator.add, parts_of(guarded, given))
    assert output["answer"].text == FACT
    assert output["answer"].usage_metadata == {"input_tokens": 30, "output_tokens": 2, "total_tokens": 32}
