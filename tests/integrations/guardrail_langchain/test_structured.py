"""Chains whose answer is an object: the field that holds the text is checked, the others stay."""

from __future__ import annotations

import asyncio
import json

import pytest
from guardrail_langchain import guard_chain
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import JsonOutputParser, PydanticOutputParser, PydanticToolsParser
from langchain_core.runnables import RunnableGenerator, RunnableLambda, RunnablePassthrough
from pydantic import BaseModel

from guardrail import Guard, GuardedAnswer, Policy, UsageError
from tests.support.garage import END, FACT, INVENTED, QUESTION, RAW

BLOCKED = "I can't give a reliable answer"


class Answer(BaseModel):
    text: str
    sources: list[str]
    confidence: float


REST = {"sources": ["garage.md, page 3, opening hours and prices"], "confidence": 0.9}


def said(text, **more):
    return json.dumps({"text": text, **REST, **more})


def model(*texts):
    return GenericFakeChatModel(messages=iter([AIMessage(each) for each in texts]))


def by_tool(text):
    """As ``with_structured_output`` of a model that calls a tool for it: the arguments come in pieces."""

    def chunks(_):
        args = json.dumps({"text": text, **REST})
        for start in range(0, len(args), 7):
            begun = {"name": None, "id": None} if start else {"name": "Answer", "id": "c1"}
            yield AIMessageChunk("", tool_call_chunks=[{**begun, "args": args[start : start + 7], "index": 0}])

    async def achunks(_):
        for chunk in chunks(_):
            yield chunk

    return RunnableGenerator(chunks, achunks) | PydanticToolsParser(tools=[Answer], first_tool_only=True)


ENDS = {
    "parser": lambda text: model(said(text)) | PydanticOutputParser(pydantic_object=Answer),
    "tool": by_tool,
}
READ = {
    "invoke": lambda chain, given: chain.invoke(given),
    "ainvoke": lambda chain, given: asyncio.run(chain.ainvoke(given)),
    "stream": lambda chain, given: _last(chain.stream(given)),
    "astream": lambda chain, given: _last(asyncio.run(_all(chain.astream(given)))),
}
MODES = pytest.mark.parametrize("mode", ["buffer", "sentence"])
HOW = pytest.mark.parametrize("how", READ.values(), ids=READ)


async def _all(parts):
    return [part async for part in parts]


def _last(parts):
    """Objects come in one piece: no part of one leaves before it is checked."""
    [part] = parts
    return part


def lcel(retriever, prompt, end):
    context = {"context": retriever | (lambda ds: ds[0].page_content), "input": RunnablePassthrough()}
    return context | prompt | end


@HOW
@MODES
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_an_object_keeps_its_type_and_its_other_fields(how, mode, end, guard, retriever, prompt):
    for text, action, delivered in ((RAW, "redact", f"{FACT} {END}"), (RAW, "block", BLOCKED), (FACT, "block", FACT)):
        told = []
        chain = guard_chain(lcel(retriever, prompt, end(text)), guard(action), mode=mode, listener=told.append)
        answer = how(chain, QUESTION)
        assert isinstance(answer, Answer)
        assert answer.text.startswith(delivered)
        assert answer.model_dump(exclude={"text"}) == REST
        assert told[0].report.answer == text


def test_a_right_answer_passes_the_local_engine(retriever, prompt):
    """It read a probability and a file's name as claims."""
    chain = guard_chain(lcel(retriever, prompt, ENDS["parser"](FACT)), Guard(policy=Policy.strict()))
    assert chain.invoke(QUESTION) == Answer(text=FACT, **REST)


@HOW
@pytest.mark.parametrize(
    "parser", [PydanticOutputParser(pydantic_object=Answer), JsonOutputParser()], ids=["model", "dict"]
)
def test_an_object_may_stand_under_the_answers_key(how, parser, document, guard):
    """As create_retrieval_chain puts it there; the last step answers again, and its whole object is delivered."""
    texts = iter([RAW, FACT])
    step = RunnableLambda(lambda _: AIMessage(said(next(texts), confidence=0.8))) | parser
    chain = RunnablePassthrough.assign(context=lambda _: [document]).assign(answer=step)
    guarded = guard_chain(chain, guard("regenerate"), answer_field="text")
    output = guarded.invoke({"input": QUESTION}) if how in (READ["invoke"], READ["ainvoke"]) else None
    if output is None:
        output = {}
        for part in guarded.stream({"input": QUESTION}):
            output |= part
    answer = output["answer"] if isinstance(output["answer"], dict) else output["answer"].model_dump()
    assert answer == {"text": FACT, **REST, "confidence": 0.8}
    assert isinstance(output["guardrail"], GuardedAnswer)
    assert output["guardrail"].attempts == 2


def test_the_message_beside_the_object_does_not_keep_the_answer(document, guard):
    """``include_raw=True``: the text stands there as JSON, with its quotes and line breaks escaped."""
    quoted = f'{INVENTED}\nThe "duke" was never here.'
    chain = RunnableLambda(
        lambda _: {
            "context": [document],
            "raw": AIMessage(said(quoted), additional_kwargs={"parsed": said(quoted)}),
            "parsed": Answer(text=quoted, **REST),
        }
    )
    output = guard_chain(chain, guard("block"), answer="parsed").invoke(QUESTION)
    assert output["parsed"].text.startswith(BLOCKED)
    assert INVENTED not in str({**output, "guardrail": None})
    assert json.loads(output["raw"].text)["text"] == output["parsed"].text


def test_an_object_without_text_is_refused(document, guard):
    class Number(BaseModel):
        metres: int

    chain = RunnableLambda(lambda _: {"context": [document], "answer": Number(metres=64)})
    with pytest.raises(UsageError, match="no field of the chain's answer, a Number, holds free text"):
        guard_chain(chain, guard()).invoke(QUESTION)
    chain = RunnableLambda(lambda _: {"context": [document], "answer": Answer(text=FACT, **REST)})
    with pytest.raises(UsageError, match=r"Answer has no field 'txt'.*Did you mean 'text'"):
        guard_chain(chain, guard(), answer_field="txt").invoke(QUESTION)
    with pytest.raises(UsageError, match=r"a function, but the chain's output has the type Answer.*Pass answer_field"):
        guard_chain(
            RunnableLambda(lambda _: Answer(text=FACT, **REST)), guard(), answer=lambda found: found.text
        ).invoke(QUESTION)


@MODES
def test_the_answer_of_a_parser_of_json_is_streamed_once(mode, guard, document):
    """The parser tells all that has come so far with each chunk; the sum of it all was checked and delivered."""

    def chunks(_):
        text = json.dumps({"pages": 3, "answer": RAW, **REST})
        for start in range(0, len(text), 6):
            yield AIMessageChunk(text[start : start + 6])

    chain = guard_chain(
        RunnableGenerator(chunks) | JsonOutputParser(), guard(), mode=mode, passages=lambda _: [document]
    )
    whole = {}
    for part in chain.stream(QUESTION):
        whole |= {**part, "answer": whole.get("answer", "") + part.get("answer", "")}
    assert whole.pop("guardrail").report.answer == RAW
    assert whole == {"pages": 3, "answer": f"{FACT} {END}", **REST}
