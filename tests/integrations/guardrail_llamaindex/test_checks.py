"""When the text of a stream leaves."""

import asyncio
import contextlib
import io

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedQueryEngine
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    StreamingResponse,
)
from llama_index.core.query_engine import CustomQueryEngine

from guardrail import Action, Guard
from guardrail.testing import FakeEngine
from tests.support.llama_queries import BAD, GOOD, ask, drained, fixture_nodes, guard_for, inner_engine


class Timed(CustomQueryEngine):
    """Streams slowly, and notes what it has let go of."""

    said: list[str]

    def custom_query(self, query_str):
        def words():
            for word in (GOOD, " ", f"It was built by {'x' * 3} men between April and October.", " ", BAD):
                self.said.append(word)
                yield word

        return StreamingResponse(words(), fixture_nodes(), {"kept": 1})


def test_sentence_mode_releases_early_and_tells_the_verdict_at_the_end():
    """The first sentence leaves before the last is generated; until the end ``guardrail`` is None."""
    inner = Timed(said=[])
    response = GuardedQueryEngine(inner, guard_for("redact"), mode="sentence").query("How high?")
    assert response.metadata["kept"] == 1
    assert response.metadata["guardrail"] is None
    assert response.metadata["guardrail_mode"] == "sentence"
    first = next(response.response_gen)
    assert first.startswith(GOOD[:10])
    assert BAD not in inner.said
    rest = "".join(response.response_gen)
    assert "sharks" not in first + rest
    assert response.metadata["guardrail"].text == first + rest


def test_a_reader_who_stops_early_stops_the_model():
    """Closing the response's generator closes the inner one, sync and async."""
    closed = []

    class Endless(CustomQueryEngine):
        def custom_query(self, query_str):
            def words():
                try:
                    while True:
                        yield f"{GOOD} It was built by {len(closed)} men between April and October. "
                finally:
                    closed.append("sync")

            return StreamingResponse(words(), fixture_nodes())

        async def acustom_query(self, query_str):
            async def words():
                try:
                    while True:
                        yield f"{GOOD} It was built by {len(closed)} men between April and October. "
                        await asyncio.sleep(0)
                finally:
                    closed.append("async")

            return AsyncStreamingResponse(words(), fixture_nodes())

    engine = GuardedQueryEngine(Endless(), Guard(engine=FakeEngine()), mode="sentence")
    response = engine.query("How high?")
    assert next(response.response_gen).startswith(GOOD)
    response.response_gen.close()

    async def work():
        answer = await engine.aquery("How high?")
        assert (await anext(answer.response_gen)).startswith(GOOD)
        await answer.response_gen.aclose()
        assert closed == ["sync", "async"]

    asyncio.run(work())


@pytest.mark.parametrize("action", ["block", "regenerate"])
def test_a_block_ends_a_stream_that_has_begun(action):
    """What has left stays; behind it comes the message, since it cannot be generated again."""
    response = GuardedQueryEngine(Timed(said=[]), guard_for(action), mode="sentence", hide_from="all").query(
        "How high?"
    )
    text = drained(response)
    assert text.startswith(GOOD)
    assert "reliable answer" in text
    assert response.metadata["guardrail"].action is Action.BLOCK
    assert "sharks" not in text + repr(response.metadata)


def test_buffer_mode_has_the_verdict_at_once_and_stays_iterable():
    """Nothing is drained: str(), print and the generator all work on the response that came back."""
    engine = GuardedQueryEngine(inner_engine(streaming=True), guard_for("redact"))
    assert engine.query("How high?").metadata["guardrail"].action is Action.REDACT
    assert str(engine.query("How high?")) == GOOD
    assert engine.query("How high?").get_response().response == GOOD
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        engine.query("How high?").print_response_stream()
    assert shown.getvalue() == GOOD


@pytest.mark.parametrize("run", ["stream", "astream"])
def test_observe_says_so(run):
    """Unchecked text leaves, the metadata says in which mode, and the verdict comes at the end."""
    engine = GuardedQueryEngine(inner_engine(streaming=True), guard_for("block"), mode="observe")
    text, response = ask(engine, run)
    assert text == f"{GOOD} {BAD}"
    assert response.metadata["guardrail_mode"] == "observe"
    assert response.metadata["guardrail"].action is Action.BLOCK
