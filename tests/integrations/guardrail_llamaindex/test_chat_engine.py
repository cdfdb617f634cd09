"""GuardedChatEngine around LlamaIndex's own chat engines with a recorded model."""

import asyncio
import threading

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedChatEngine
from llama_index.core.chat_engine.types import AgentChatResponse, StreamingAgentChatResponse
from llama_index.core.llms import CompletionResponse
from llama_index.core.llms.callbacks import llm_completion_callback

from guardrail import Action, Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.llama_chats import BAD, GOOD, MENDED, RUNS, guard_for, history, inner_engine, say
from tests.support.recorded_llama import RecordedLLM

ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")


EXPECTED = {"allow": f"{GOOD} {BAD}", "redact": GOOD, "regenerate": MENDED}


KINDS = ("simple", "context", "condense_plus_context", "condense_question")


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("kind", KINDS)
def test_matrix(kind, run, action):
    """Every chat engine and way to ask, under every action: withheld text is in no response and in no history."""
    inner = inner_engine(kind)
    engine = GuardedChatEngine(inner, guard_for(action), hide_from="all")
    text, response = say(engine, run)
    kept = kind != "simple"  # without passages nothing is judged, and the fake policy lets that pass
    assert isinstance(response, StreamingAgentChatResponse if "stream" in run else AgentChatResponse)
    guarded = response.metadata["guardrail"]
    assert guarded.text == text
    assert str(response) == text
    assert [n.node.node_id for n in response.source_nodes] == (["n1", "n2"] if kept else [])
    if kept:
        assert guarded.action is (Action.ALLOW if action == "regenerate" else Action(action))
        assert text == EXPECTED.get(action, text)
    assert history(engine) == [("user", "How high is the dam?"), ("assistant", text)]
    assert history(inner) == history(engine)
    if kept and action in ("redact", "regenerate", "block"):
        assert "sharks" not in text + repr(response) + repr(response.metadata) + repr(inner.chat_history)
        assert "sharks" not in repr(inner._memory)
    if "stream" in run:
        assert response.is_done


@pytest.mark.parametrize("run", RUNS)
def test_without_passages_strict_blocks(run):
    """A chat without retrieval has nothing to be checked against; the history holds the message instead."""
    inner = inner_engine("simple")
    text, _ = say(GuardedChatEngine(inner, Guard(policy=Policy.strict(), engine=FakeEngine())), run)
    assert "reliable answer" in text
    assert history(inner)[-1] == ("assistant", text)


def test_nothing_is_done_before_the_model_is():
    """While the model still speaks, the first sentence is out, ``guardrail`` is None and the history has no answer."""
    go_on = threading.Event()

    class Waiting(RecordedLLM):
        @llm_completion_callback()
        def stream_complete(self, prompt, formatted=False, **kwargs):
            for text in (GOOD, " Fish live in it, says the survey of the dam.", " It is old."):
                yield CompletionResponse(text=text, delta=text)
            assert go_on.wait(20)
            yield CompletionResponse(text=BAD, delta=f" {BAD}")

    inner = inner_engine("context", Waiting(answers={}))
    stream = GuardedChatEngine(inner, guard_for("redact"), mode="sentence").stream_chat("How high?")
    texts = stream.response_gen
    first = next(texts)
    assert first.startswith(GOOD)
    assert not stream.is_done
    assert stream.metadata["guardrail"] is None
    assert "assistant" not in [role for role, _ in history(inner)]
    go_on.set()
    rest = "".join(texts)
    assert stream.is_done
    assert stream.metadata["guardrail"].text == first + rest == history(inner)[-1][1]
    assert "sharks" not in first + rest


@pytest.mark.parametrize("run", ["achat", "astream_chat"])
def test_eight_at_once_never_cross(run):
    """Each message gets its own answer; the one history that they share holds nothing that was withheld."""
    answers = {f"\nuser: question {n}?": f"Number {n} is right. The sharks of {n} are wrong." for n in range(8)}
    inner = inner_engine("context", RecordedLLM(answers=answers))

    class LastWins(RecordedLLM):
        def _answer(self, prompt):
            asked = max(range(8), key=lambda n: prompt.rfind(f"question {n}?"))
            return answers[f"\nuser: question {asked}?"]

    inner._llm = LastWins(answers=answers)
    engine = GuardedChatEngine(inner, guard_for("redact"))

    async def one(n):
        response = await getattr(engine, run)(f"question {n}?")
        if run == "achat":
            return str(response), response
        return "".join([text async for text in response.async_response_gen()]), response

    async def many():
        found = await asyncio.gather(*(one(n) for n in range(8)))
        return found, await inner._memory.aget_all()

    found, messages = asyncio.run(many())
    for n, (text, response) in enumerate(found):
        assert text == f"Number {n} is right."
        assert response.metadata["guardrail"].report.question == f"question {n}?"
    assert sorted(m.content for m in messages if m.role == "assistant") == [f"Number {n} is right." for n in range(8)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("run", RUNS)
def test_an_error_of_the_model_passes_through(run):
    """It reaches the caller, and no answer is kept. LlamaIndex's own stream threads also print it."""
    inner = inner_engine("context", RecordedLLM(answers={}))
    before = set(threading.enumerate())
    with pytest.raises(LookupError, match="no recorded answer"):
        say(GuardedChatEngine(inner, guard_for("redact")), run)
    for thread in set(threading.enumerate()) - before:  # what they print belongs to this test
        thread.join(5.0)
    assert "assistant" not in [role for role, _ in history(inner)]


def test_the_local_engine():
    """A real check: the invented sentence goes, from the response and from the history."""
    inner = inner_engine("context")
    guard = Guard(policy=Policy(name="test", actions={"unsupported": "redact", "contradicted": "redact"}))
    response = GuardedChatEngine(inner, guard).chat("How high is the dam?")
    assert str(response) == GOOD
    assert history(inner)[-1] == ("assistant", GOOD)
