"""The shape of answers that a chain has not given: as it would have put them, or none."""

from typing import Any

import pytest
from guardrail_langchain.parts import Parts
from guardrail_langchain.shape import shape_of
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine

GUARDED = Guard(policy=Policy.monitor(), engine=FakeEngine()).run(
    "The garage opens at six.", ["The garage opens at six."]
)
MODEL = ChatPromptTemplate.from_template("{input}") | FakeListChatModel(responses=["At six."])


def text_of(_: Any) -> str:
    return "At six."


def message_of(_: Any) -> AIMessage:
    return AIMessage("At six.")


def later_text_of(_: Any) -> "str":  # as with postponed annotations
    return "At six."


CHAINS: dict[str, tuple[Runnable[Any, Any], Parts]] = {
    "answer of a step": (RunnablePassthrough.assign(answer=MODEL | StrOutputParser()), Parts()),
    "key that is named": (RunnableLambda(lambda given: {"said": given}), Parts(answer="said")),
    "parser": (MODEL | StrOutputParser(), Parts()),
    "parser with settings": ((MODEL | StrOutputParser()).with_config(tags=["x"]), Parts()),
    "model": (MODEL, Parts()),
    "function of text": (MODEL | RunnableLambda(text_of), Parts()),
    "function with its annotation as text": (MODEL | RunnableLambda(later_text_of), Parts()),
    "function of a message": (MODEL | RunnableLambda(message_of), Parts()),
}
SHAPES = {
    "answer of a step": "answer",
    "key that is named": "said",
    "model": AIMessage,
    "function of a message": AIMessage,
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_that_tells_its_shape_is_answered_in_it(name: str) -> None:
    shape = shape_of(*CHAINS[name])
    assert shape is not None
    output, kind = shape(GUARDED, "verdict"), SHAPES.get(name, str)
    if isinstance(kind, str):
        assert output == {kind: GUARDED.text, "guardrail": "verdict"}
    elif kind is AIMessage:
        assert (type(output), output.content) == (AIMessage, GUARDED.text)
        assert output.response_metadata["guardrail"]["action"] == "allow"
    else:
        assert output == GUARDED.text


@pytest.mark.parametrize(
    ("chain", "parts"),
    [
        (MODEL | RunnableLambda(lambda message: {"said": message.content}), Parts()),
        (RunnableLambda(lambda given: given), Parts(answer="said", field="text")),
    ],
)
def test_a_chain_that_does_not_tell_or_gives_an_object_has_none(chain: Runnable[Any, Any], parts: Parts) -> None:
    assert shape_of(chain, parts) is None
