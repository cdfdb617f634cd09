"""What of a stream passes at once, what waits, and in which shapes it leaves."""

from __future__ import annotations

import functools
import operator
import re

import pytest
from guardrail_langchain import guard_chain
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from guardrail import UsageError
from tests.support.langchain_streams import BOTH, END, FACT, INVENTED, QUESTION, RAW, generating, parts_before


@BOTH
@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_a_dict_stream_keeps_its_chunks_and_ends_with_the_guarded_answer(
    mode, how, document, guard, retrieval_chain, parts_of
):
    """Other keys pass through as they are and at once."""
    parts = parts_of(guard_chain(retrieval_chain(), guard(), mode=mode), {"input": QUESTION}, how)
    assert parts[0] == {"input": QUESTION}
    assert [(d.id, d.page_content, d.metadata) for d in parts[1]["context"]] == [
        ("garage", document.page_content, document.metadata)
    ]
    assert all(set(part) == {"answer"} for part in parts[2:-1])
    assert set(parts[-1]) == {"guardrail"}
    assert len(parts) == (4 if mode == "buffer" else 5)
    whole = functools.reduce(operator.add, parts)
    assert whole["answer"] == whole["guardrail"].text == f"{FACT} {END}"
    assert "invented" not in str(parts[:-1])


@BOTH
@pytest.mark.parametrize("mode", ["buffer", "sentence"])
@pytest.mark.parametrize("last", [None, StrOutputParser()], ids=["message", "str"])
def test_streams_of_strings_and_messages_keep_their_type(last, mode, how, guard, lcel, parts_of):
    """The documents were caught on their way; a message carries what was found, without texts."""
    parts = parts_of(guard_chain(lcel(last), guard(), mode=mode), QUESTION, how)
    whole = functools.reduce(operator.add, parts)
    assert "invented" not in str(parts)
    if last:
        assert all(type(part) is str for part in parts)
        assert whole == f"{FACT} {END}"
        assert len(parts) == (1 if mode == "buffer" else 2)
    else:
        assert all(isinstance(part, AIMessageChunk) for part in parts)
        assert whole.text == f"{FACT} {END}"
        assert len({part.id for part in parts}) == 1
        assert whole.response_metadata["guardrail"]["action"] == "redact"
        assert [f["action"] for f in whole.response_metadata["guardrail"]["findings"]] == ["allow", "redact", "allow"]


@BOTH
@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_a_finished_message_stays_one_message(mode, how, document, guard, parts_of):
    """A chain that does not stream gives it in one piece, and messages do not add up."""
    message = AIMessage(content=RAW, id="run-1")
    chain = guard_chain(RunnableLambda(lambda _: message), guard(), mode=mode, passages=lambda _: [document])
    [part] = parts_of(chain, QUESTION, how)
    assert (type(part), part.text, part.id) == (AIMessage, f"{FACT} {END}", "run-1")
    assert part.response_metadata["guardrail"]["action"] == "redact"


@BOTH
def test_keys_behind_the_answer_wait_and_do_not_repeat_it(how, guard, retrieval_chain, parts_of):
    """A chat history, a copy under another key: the raw answer is in none of them."""
    chain = retrieval_chain() | RunnablePassthrough.assign(
        chat_history=lambda x: [HumanMessage(QUESTION), AIMessage(x["answer"])], copy=lambda x: f"Bot: {x['answer']}"
    )
    chain = guard_chain(chain, guard("block"))
    output = functools.reduce(operator.add, parts_of(chain, {"input": QUESTION}, how))
    for out in (output, chain.invoke({"input": QUESTION})):
        said = out["answer"]
        assert said.startswith("I can't give a reliable answer")
        assert [m.text for m in out["chat_history"]] == [QUESTION, said]
        assert out["copy"] == f"Bot: {said}"
    asked = f"Is it true? {RAW}"  # what the caller said stays what the caller said
    assert chain.invoke({"input": asked})["input"] == asked


@BOTH
@pytest.mark.parametrize("mode", ["buffer", "sentence"])
@pytest.mark.parametrize("answer", [None, "reply", lambda output: output["text"]], ids=["usual", "named", "function"])
def test_where_no_answer_is_found_no_other_key_has_left_before_the_error(answer, mode, how, document, guard):
    """The answer may be under a name that nobody thought of."""

    def odd(_):
        yield {"input": QUESTION, "lang": "en"}
        yield {"context": [document]}
        yield {"text": FACT}
        yield {"text": INVENTED}

    chain = guard_chain(generating(odd), guard(), mode=mode, answer=answer)
    parts = parts_before(UsageError("no answer|no place"), chain, {"lang": "en"}, how)
    assert {key for part in parts for key in part} <= {"input", "lang", "context"}


@BOTH
@pytest.mark.parametrize(("action", "kept"), [("block", False), ("redact", False), ("allow", True)])
def test_what_spells_the_text_of_a_streamed_message_goes_with_it(action, kept, how, document, guard, parts_of):
    """Reasoning, log-probabilities."""

    def chunks(_):
        for word in re.findall(r"\S+\s*", RAW):
            about = {"logprobs": [{"token": word}], "model_name": "m"} if word.startswith("invented") else {}
            reasoning = {"reasoning_content": word}
            yield AIMessageChunk(content=word, id="run-1", response_metadata=about, additional_kwargs=reasoning)

    chain = guard_chain(generating(chunks), guard(action), passages=lambda _: [document])
    parts = parts_of(chain, QUESTION, how)
    assert ("invented" in str(parts)) is kept
    whole = functools.reduce(operator.add, parts)
    assert (whole.response_metadata["model_name"], "logprobs" in whole.response_metadata) == ("m", kept)
    assert bool(whole.additional_kwargs) is kept


@BOTH
@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_a_better_key_for_the_answer_may_not_come_second(mode, how, document, guard, parts_of):
    """What went before as an ordinary key would have left unchecked."""

    def two(_):
        yield {"context": [document]}
        yield {"output": FACT}
        yield {"answer": INVENTED}

    with pytest.raises(UsageError, match=r"both 'output' and 'answer' .* answer=<key>"):
        parts_of(guard_chain(generating(two), guard(), mode=mode), QUESTION, how)
