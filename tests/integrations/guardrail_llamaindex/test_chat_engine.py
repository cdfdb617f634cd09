"""GuardedChatEngine around LlamaIndex's own chat engines with a recorded model."""

import asyncio
import threading

import pytest

pytest.importorskip("llama_index.core")

from guardrail_llamaindex import GuardedChatEngine
from llama_index.core import SummaryIndex
from llama_index.core.base.response.schema import Response
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import AgentChatResponse, StreamingAgentChatResponse
from llama_index.core.llms import ChatMessage, CompletionResponse
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import TextNode

from guardrail import Action, Guard, Policy, UsageError
from guardrail.testing import FakeEngine
from tests.support.recorded_llama import RecordedLLM

GOOD = "The dam is 64 metres high."
BAD = "The reservoir holds nine sharks."
MENDED = "The dam is 64 metres high, says the survey."
AGAIN = "previous answer was checked"
RUNS = ("chat", "achat", "stream_chat", "astream_chat")
ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")
EXPECTED = {"allow": f"{GOOD} {BAD}", "redact": GOOD, "regenerate": MENDED}


def recorded(**more):
    return RecordedLLM(answers={AGAIN: MENDED, **more, "": f"{GOOD} {BAD}"})


def retriever():
    nodes = [TextNode(id_="n1", text=GOOD, metadata={"title": "Survey"}), TextNode(id_="n2", text="Fish live in it.")]
    return SummaryIndex(nodes).as_retriever()


def inner_engine(kind, model=None, memory=None):
    model, memory = model or recorded(), memory or ChatMemoryBuffer.from_defaults(token_limit=3000)
    if kind == "simple":
        return SimpleChatEngine.from_defaults(llm=model, memory=memory)
    if kind == "context":
        return ContextChatEngine.from_defaults(retriever(), llm=model, memory=memory)
    if kind == "condense_plus_context":
        return CondensePlusContextChatEngine.from_defaults(retriever(), llm=model, memory=memory)
    queries = SummaryIndex(retriever()._index.docstore.get_nodes(["n1", "n2"])).as_query_engine(llm=model)
    return CondenseQuestionChatEngine.from_defaults(queries, llm=model, memory=memory)


KINDS = ("simple", "context", "condense_plus_context", "condense_question")


def guard_for(action):
    engine = FakeEngine({"sharks": "unsupported"})
    return Guard(policy=Policy(name="test", actions={"unsupported": action, "unverified": "allow"}), engine=engine)


def say(engine, run, message="How high is the dam?", **options):
    """One message; the delivered text and the response."""
    if run == "chat":
        response = engine.chat(message, **options)
        return str(response), response
    if run == "stream_chat":
        response = engine.stream_chat(message, **options)
        return "".join(response.response_gen), response

    async def work():
        response = await getattr(engine, run)(message, **options)
        if run == "achat":
            return str(response), response
        return "".join([text async for text in response.async_response_gen()]), response

    return asyncio.run(work())


def history(engine):
    return [(m.role.value, m.content) for m in engine.chat_history]


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


@pytest.mark.parametrize("run", RUNS)
def test_the_next_turn_sees_what_was_delivered(run):
    """The model's next prompt holds the redacted answer, never the raw one; and the question once."""
    model = recorded(**{"And how deep?": "It is deep."})
    engine = GuardedChatEngine(inner_engine("context", model), guard_for("redact"))
    say(engine, run)
    say(engine, run, "And how deep?")
    assert GOOD in model.prompts[-1]
    assert model.prompts[-1].count("How high is the dam?") == 1
    assert "sharks" not in model.prompts[-1]
    engine.reset()
    assert history(engine) == []


@pytest.mark.parametrize("run", ["chat", "astream_chat"])
def test_regeneration_leaves_no_trace_in_the_history(run):
    """The feedback goes to the model with the same nodes, and neither it nor the first answer is kept."""
    model, asked = recorded(), []
    inner = inner_engine("condense_plus_context", model)

    class Once(BaseRetriever):
        def _retrieve(self, query_bundle):
            asked.append(query_bundle.query_str)
            return retriever().retrieve(query_bundle)

    inner._retriever = Once()
    text, response = say(GuardedChatEngine(inner, guard_for("regenerate")), run)
    assert asked == ["How high is the dam?"]
    assert text == MENDED
    assert response.metadata["guardrail"].attempts == 2
    assert GOOD in model.prompts[-1]
    assert "Fish live in it." in model.prompts[-1]
    assert history(inner) == [("user", "How high is the dam?"), ("assistant", MENDED)]


@pytest.mark.parametrize("run", RUNS)
def test_an_engine_that_prompts_from_its_memory_sees_the_feedback(run):
    """SimpleChatEngine reads the message back from its memory: the one for a new answer shows it, and keeps nothing."""
    model = recorded()
    inner = inner_engine("simple", model)
    policy = Policy(name="test", actions={"unverified": "regenerate"}, on_exhausted="allow")
    say(GuardedChatEngine(inner, Guard(policy=policy, engine=FakeEngine())), run)
    assert len(model.prompts) == 2
    assert AGAIN in model.prompts[1]
    assert [role for role, _ in history(inner)] == ["user", "assistant"]
    assert AGAIN not in repr(inner.chat_history)


@pytest.mark.parametrize("run", RUNS)
def test_a_callable_or_nobody_regenerates(run):
    """``regenerate`` may be a callable; with False nobody is asked and the policy's on_exhausted applies."""
    engine = GuardedChatEngine(inner_engine("context"), guard_for("regenerate"), regenerate=lambda _: "It is high.")
    assert say(engine, run)[0] == "It is high."
    never = GuardedChatEngine(inner_engine("context"), guard_for("regenerate"), regenerate=False)
    assert say(never, run)[1].metadata["guardrail"].action is Action.BLOCK


@pytest.mark.parametrize("run", RUNS)
def test_history_given_by_the_caller_is_used(run):
    """``chat_history`` stands in place of what there was, as in the inner engine."""
    model = recorded()
    engine = GuardedChatEngine(inner_engine("context", model), guard_for("redact"))
    given = [ChatMessage(role="user", content="Hello."), ChatMessage(role="assistant", content="Good day.")]
    say(engine, run, chat_history=given)
    assert "Good day." in model.prompts[0]
    assert history(engine)[:2] == [("user", "Hello."), ("assistant", "Good day.")]
    assert history(engine)[-1] == ("assistant", GOOD)


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


def test_a_tools_output_that_is_the_answer_is_replaced():
    """CondenseQuestion reports its query engine's response as a source: it must not carry the blocked text."""
    engine = GuardedChatEngine(inner_engine("condense_question"), guard_for("redact"), hide_from="all")
    response = engine.chat("How high?")
    assert response.sources[0].content == GOOD
    assert isinstance(response.sources[0].raw_output, Response)
    stream = engine.stream_chat("How high?")
    assert "".join(stream.response_gen) == GOOD
    assert stream.sources[0].raw_output.response == GOOD


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


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_default_memory():
    """LlamaIndex's database-backed Memory works the same."""
    inner = inner_engine("context", memory=Memory.from_defaults(token_limit=3000))
    assert say(GuardedChatEngine(inner, guard_for("redact")), "chat")[0] == GOOD
    assert history(inner)[-1] == ("assistant", GOOD)
    asyncio.run(inner._memory.sql_store._async_engine.dispose())


def test_the_local_engine():
    """A real check: the invented sentence goes, from the response and from the history."""
    inner = inner_engine("context")
    guard = Guard(policy=Policy(name="test", actions={"unsupported": "redact", "contradicted": "redact"}))
    response = GuardedChatEngine(inner, guard).chat("How high is the dam?")
    assert str(response) == GOOD
    assert history(inner)[-1] == ("assistant", GOOD)


def test_an_engine_without_a_memory_is_refused(caplog):
    """Blocked text could stay where nobody can reach it; the caller has to say that this is not so."""

    class Stateless(SimpleChatEngine):
        def __init__(self, inner):
            self._retriever = retriever()

        def chat(self, message, chat_history=None):
            return AgentChatResponse(f"{GOOD} {BAD}", source_nodes=retriever().retrieve(message))

    with pytest.raises(UsageError, match="memory=None"):
        GuardedChatEngine(Stateless(None), guard_for("redact"))
    engine = GuardedChatEngine(Stateless(None), guard_for("regenerate"), memory=None)
    assert engine.chat("How high?").metadata["guardrail"].action is Action.BLOCK
    assert not caplog.records  # it was not asked again: it might keep what it is told
    with pytest.raises(UsageError, match="must be a Guard"):
        GuardedChatEngine(inner_engine("simple"), Policy.strict())


def test_a_tools_plain_output_that_is_the_answer_is_replaced_in_every_form():
    from guardrail_llamaindex.chat_response import sources_of
    from llama_index.core.tools import ToolOutput

    output = ToolOutput(content="raw answer", tool_name="t", raw_input={}, raw_output="raw answer")
    assert "raw answer" not in repr(sources_of([output], "raw answer", "checked"))
