"""What a chat response holds."""

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedChatEngine
from llama_index.core.base.response.schema import Response

from tests.support.llama_chats import GOOD, guard_for, history, inner_engine, say


@pytest.mark.parametrize("run", ["stream_chat", "astream_chat"])
def test_stream_semantics(run):
    """At the end the response is done and says its text; observe tells its mode but keeps no blocked text."""
    text, response = say(GuardedChatEngine(inner_engine("context"), guard_for("redact"), mode="sentence"), run)
    assert (text, response.response, response.is_done) == (GOOD, GOOD, True)
    assert response.metadata["guardrail_mode"] == "sentence"
    inner = inner_engine("context")
    text, response = say(GuardedChatEngine(inner, guard_for("redact"), mode="observe"), run)
    assert "sharks" in text
    assert response.metadata["guardrail_mode"] == "observe"
    assert history(inner)[-1] == ("assistant", GOOD)


def test_a_tools_output_that_is_the_answer_is_replaced():
    """CondenseQuestion reports its query engine's response as a source: it must not carry the blocked text."""
    engine = GuardedChatEngine(inner_engine("condense_question"), guard_for("redact"), hide_from="all")
    response = engine.chat("How high?")
    assert response.sources[0].content == GOOD
    assert isinstance(response.sources[0].raw_output, Response)
    stream = engine.stream_chat("How high?")
    assert "".join(stream.response_gen) == GOOD
    assert stream.sources[0].raw_output.response == GOOD


def test_a_tools_plain_output_that_is_the_answer_is_replaced_in_every_form():
    from guardrail_llamaindex.chat_response import sources_of
    from llama_index.core.tools import ToolOutput

    output = ToolOutput(content="raw answer", tool_name="t", raw_input={}, raw_output="raw answer")
    assert "raw answer" not in repr(sources_of([output], "raw answer", "checked"))
