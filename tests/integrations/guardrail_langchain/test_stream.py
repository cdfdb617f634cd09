"""Streams of a guarded chain: when text leaves, and how they end."""

from __future__ import annotations

import asyncio
import gc
import re

import pytest
from guardrail_langchain import guard_chain
from langchain_core.runnables import RunnableGenerator, RunnablePassthrough

from guardrail import Action
from tests.support.langchain_streams import BOTH, END, FACT, INVENTED, QUESTION, RAW, generating, parts_before


def test_sentences_leave_before_the_model_is_done_in_sentence_mode_only(document, guard):
    """That is what the mode is for; in buffer mode all of the answer is read first."""
    said = []

    def tokens(_):
        for piece in re.findall(r"\S+\s*", RAW):
            said.append(piece)
            yield piece

    chain = RunnablePassthrough.assign(context=lambda _: [document]).assign(answer=RunnableGenerator(tokens))
    for mode in ("sentence", "buffer"):
        said.clear()
        stream = guard_chain(chain, guard(), mode=mode).stream({"input": QUESTION})
        first = next(part for part in stream if "answer" in part)
        assert first["answer"].startswith(FACT)
        assert (len(said) < len(RAW.split())) is (mode == "sentence")
        stream.close()


@BOTH
def test_observe_shows_unchecked_text_and_says_at_the_end_what_is_wrong(how, guard, retrieval_chain, parts_of):
    """The one mode that promises nothing."""
    chain = guard_chain(retrieval_chain(), guard("block"), mode="observe")
    parts = parts_of(chain, {"input": QUESTION}, how)
    assert "".join(part.get("answer", "") for part in parts) == RAW
    assert len(parts) > 10
    assert parts[-1]["guardrail"].action is Action.BLOCK


@BOTH
@pytest.mark.parametrize("last", ["asked", "source_documents"])
def test_documents_and_question_that_come_after_the_answer_are_waited_for(last, how, document, guard, parts_of):
    """In sentence mode too: nothing can be checked before they are there."""

    def late(_):
        for sentence in (FACT, INVENTED, END, FACT):
            yield {"result": f"{sentence} "}
        behind = [{"asked": QUESTION}, {"source_documents": [document]}]
        yield from behind if last == "source_documents" else reversed(behind)

    chain = guard_chain(generating(late), guard(), mode="sentence", question="asked")
    parts = parts_of(chain, "?", how)
    assert parts[0]["result"] == FACT
    assert parts[-2] == {"asked": QUESTION, "source_documents": [document]}
    assert parts[-1]["guardrail"].report.question == QUESTION
    assert [p.id for p in parts[-1]["guardrail"].report.passages] == ["garage"]


@BOTH
def test_a_failing_chain_raises_its_own_error_and_the_unchecked_part_stays_inside(how, document, guard):
    """In sentence mode what was checked before has left."""

    def broken(_):
        yield {"context": [document]}
        for piece in re.findall(r"\S+\s*", RAW):
            yield {"answer": piece}
        raise LookupError("the line is cut")

    for mode in ("buffer", "sentence"):
        chain = guard_chain(generating(broken), guard(), mode=mode)
        parts = parts_before(LookupError("the line is cut"), chain, QUESTION, how)
        assert [next(iter(part)) for part in parts] == ["context"] + ["answer"] * (mode == "sentence")
        assert "invented" not in str(parts)


def test_closing_a_stream_early_closes_the_chain(document, guard):
    """Sync and async; no task or generator is left behind (an unraisable error would fail the test)."""
    closed = []

    def tokens(_):
        try:
            yield {"context": [document]}
            for _ in range(1000):
                yield {"answer": f"{FACT} "}
        finally:
            closed.append("sync")

    async def atokens(_):
        try:
            yield {"context": [document]}
            for _ in range(1000):
                yield {"answer": f"{FACT} "}
        finally:
            closed.append("async")

    chain = guard_chain(RunnableGenerator(tokens, atokens), guard(), mode="sentence")
    for hide_from in ("streams", "all"):
        chain.hide_from = hide_from
        stream = chain.stream(QUESTION)
        next(stream), next(stream)
        stream.close()

        async def early():
            stream = chain.astream(QUESTION)
            await anext(stream), await anext(stream)
            await stream.aclose()
            assert closed[-1] == "async"  # now, not when the loop ends

        asyncio.run(early())
        gc.collect()
    assert closed == ["sync", "async"] * 2
