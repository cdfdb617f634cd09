"""GuardedQueryEngine around real llama-index-core engines with a recorded model."""

import asyncio
import contextlib
import io
import threading
import time

import pytest

pytest.importorskip("llama_index.core")

from guardrail_llamaindex import GuardedQueryEngine, to_passages
from llama_index.core import Document, MockEmbedding, SummaryIndex, VectorStoreIndex
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import BaseModel

from guardrail import Action, Guard, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine
from guardrail.types import Row, SupportMatrix
from tests.support.recorded_llama import RecordedLLM

TEXT = "The walkway on top of Larkmoor Dam is open from 9:00 to 17:00 between April and October."
GOOD = "The dam is 64 metres high."
BAD = "The reservoir holds nine sharks."
MENDED = "The dam is 64 metres high, says the survey."
AGAIN = "previous answer was checked"
ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")
RUNS = ("query", "aquery", "stream", "astream")


def fixture_nodes():
    first = TextNode(id_="n1", text=TEXT, metadata={"title": "Larkmoor Dam"})
    second = TextNode(id_="n2", text=GOOD, metadata={"title": 7})
    return [NodeWithScore(node=first, score=1.0), NodeWithScore(node=second, score=0.5)]


class FixedRetriever(BaseRetriever):
    """Always the same two nodes."""

    def _retrieve(self, query_bundle):
        return fixture_nodes()


def llm(answer=f"{GOOD} {BAD}", again=MENDED):
    return RecordedLLM(answers={AGAIN: again, "": answer})


def inner_engine(model=None, streaming=False):
    """A real index and a real RetrieverQueryEngine."""
    documents = [Document(text=TEXT, doc_id="d1"), Document(text=GOOD, doc_id="d2")]
    index = VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=4))
    return index.as_query_engine(llm=model or llm(), streaming=streaming, similarity_top_k=2)


def guard_for(action, **options):
    engine = FakeEngine({"sharks": "unsupported"})
    return Guard(policy=Policy(name="test", actions={"unsupported": action}, **options), engine=engine)


def drained(response):
    """The text of any response, through its own iterator where it has one."""
    if isinstance(response, StreamingResponse):
        return "".join(response.response_gen)
    if isinstance(response, AsyncStreamingResponse):
        return asyncio.run(joined(response))
    return str(response)


async def joined(response):
    return "".join([text async for text in response.async_response_gen()])


def ask(engine, run, question="How high is the dam?"):
    """One query; the delivered text and the response."""
    if run in ("query", "stream"):
        response = engine.query(question)
        return drained(response), response

    async def work():
        response = await engine.aquery(question)
        return (await joined(response) if isinstance(response, AsyncStreamingResponse) else str(response)), response

    return asyncio.run(work())


EXPECTED = {
    "allow": f"{GOOD} {BAD}",
    "redact": GOOD,
    "regenerate": MENDED,
}


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("run", RUNS)
def test_matrix(run, action, mode):
    """Every way to ask, under every action: the shape is the inner engine's, and withheld text is nowhere."""
    inner = inner_engine(streaming="stream" in run)
    engine = GuardedQueryEngine(inner, guard_for(action), mode=mode, hide_from="all")
    text, response = ask(engine, run)
    shape = {"query": Response, "aquery": Response, "stream": StreamingResponse, "astream": AsyncStreamingResponse}
    assert type(response) is shape[run]
    guarded = response.metadata["guardrail"]
    assert guarded.action is (Action.ALLOW if action == "regenerate" else Action(action))
    if action in EXPECTED:
        assert text == EXPECTED[action]
    if action == "annotate":
        assert text.startswith(f"{GOOD} {BAD}[^g1]")
    assert guarded.text == text
    assert [n.node.get_content() for n in response.source_nodes]
    if action in ("redact", "regenerate", "block"):
        assert "sharks" not in text
        assert "sharks" not in repr(response.metadata)
        assert "sharks" not in repr(response)


def test_a_verdict_that_is_not_hidden_quotes_what_was_withheld():
    """By default metadata holds the whole GuardedAnswer: for logs, not for the reader."""
    response = GuardedQueryEngine(inner_engine(), guard_for("redact")).query("How high?")
    assert "sharks" in response.metadata["guardrail"].report.answer
    assert "sharks" not in str(response)


@pytest.mark.parametrize("streaming", [False, True])
def test_eight_queries_at_once_never_cross(streaming):
    """Each gets its own answer, nodes and verdict, sync in threads and async in tasks."""
    answers = {f"question {n}?": f"Number {n} is right. The sharks of {n} are wrong." for n in range(8)}
    inner = inner_engine(RecordedLLM(answers=answers), streaming=streaming)
    engine = GuardedQueryEngine(inner, guard_for("redact"), mode="sentence")

    async def one(n):
        response = await engine.aquery(f"question {n}?")
        return (await joined(response) if streaming else str(response)), response

    async def many():
        return await asyncio.gather(*(one(n) for n in range(8)))

    found = asyncio.run(many())
    threads = []

    def run(n, kept):
        response = engine.query(f"question {n}?")
        kept[n] = (drained(response), response)

    kept = {}
    for n in range(8):
        threads.append(threading.Thread(target=run, args=(n, kept)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    for n in range(8):
        for text, response in (found[n], kept[n]):
            assert text == f"Number {n} is right."
            assert response.metadata["guardrail"].report.question == f"question {n}?"


class SlowAsync:
    """An engine that can only be awaited."""

    name = "slow"

    async def averify(self, request):
        await asyncio.sleep(0.3)
        rows = (Row(segment_id=s.id, cells=(None,) * len(request.passages), supported=0.9) for s in request.segments)
        return SupportMatrix(rows=tuple(rows))


def test_async_does_not_block_the_loop():
    """Eight checks that wait 0.3 s each take about as long as one; a sync query says what to use instead."""
    engine = GuardedQueryEngine(inner_engine(), Guard(engine=SlowAsync()))

    async def many():
        return await asyncio.gather(*(engine.aquery("How high?") for _ in range(8)))

    begin = time.monotonic()
    assert all(r.metadata["guardrail"].report.verdict is Verdict.SUPPORTED for r in asyncio.run(many()))
    assert time.monotonic() - begin < 1.2
    with pytest.raises(UsageError, match="await"):
        engine.query("How high?")


def test_regenerates_from_the_same_nodes():
    """The inner engine's synthesizer gets the question, what was wrong, and the same nodes; the attempts are told."""
    model = llm()
    response = GuardedQueryEngine(inner_engine(model), guard_for("regenerate")).query("How high is the dam?")
    assert str(response) == MENDED
    assert response.metadata["guardrail"].attempts == 2
    assert len(model.prompts) == 2
    assert all(words in model.prompts[1] for words in (AGAIN, BAD, TEXT, GOOD, "How high is the dam?"))


def test_regeneration_that_fails_again_is_marked():
    """The same fault twice: nothing of it is delivered, and ``exhausted`` says so."""
    model = llm(again=f"Indeed: {BAD}")
    engine = GuardedQueryEngine(inner_engine(model), guard_for("regenerate"), hide_from="all")
    response = engine.query("How high?")
    assert response.metadata["guardrail"].exhausted
    assert response.metadata["guardrail"].action is Action.BLOCK
    assert "sharks" not in repr(response)


@pytest.mark.parametrize("run", RUNS)
def test_a_callable_regenerates(run):
    """A callable is asked instead of the engine; with False nobody is."""
    asked = []

    def generate(feedback):
        asked.append(feedback.question)
        return MENDED

    engine = GuardedQueryEngine(inner_engine(streaming="stream" in run), guard_for("regenerate"), regenerate=generate)
    assert ask(engine, run, "How high?")[0] == MENDED
    assert asked == ["How high?"]
    never = GuardedQueryEngine(inner_engine(), guard_for("regenerate"), regenerate=False).query("How high?")
    assert never.metadata["guardrail"].action is Action.BLOCK


@pytest.mark.parametrize("run", ["stream", "astream"])
@pytest.mark.parametrize("mode", ["buffer", "sentence", "observe"])
def test_a_stream_that_was_read_before_is_read_again(run, mode):
    """An engine may hand on a response that it has drained itself: its text is kept there."""

    class Drained(CustomQueryEngine):
        def custom_query(self, query_str):
            return StreamingResponse(iter(()), fixture_nodes(), response_txt=f"{GOOD} {BAD}")

        async def acustom_query(self, query_str):
            async def nothing():
                for text in ():
                    yield text

            return AsyncStreamingResponse(nothing(), fixture_nodes(), response_txt=f"{GOOD} {BAD}")

    text, _ = ask(GuardedQueryEngine(Drained(), guard_for("redact"), mode=mode), run)
    assert text == (f"{GOOD} {BAD}" if mode == "observe" else GOOD)


def test_a_regenerated_object_keeps_its_shape():
    """The object that was made again is the one that is delivered."""

    class Twice(Structured):
        def synthesize(self, query_bundle, nodes, additional_source_nodes=None):
            return PydanticResponse(Height(says=MENDED, metres=64), nodes)

    wrong = Twice(answer=Height(says=BAD, metres=1))
    response = GuardedQueryEngine(wrong, guard_for("regenerate")).query("How high?")
    assert isinstance(response, PydanticResponse)
    assert (response.says, response.metres) == (MENDED, 64)


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


class Height(BaseModel):
    """A structured answer."""

    says: str
    metres: int
    more: list[str] = []


class Structured(CustomQueryEngine):
    """Answers with an object."""

    answer: Height

    def custom_query(self, query_str):
        return PydanticResponse(self.answer, fixture_nodes(), {"kept": 1})


def test_objects_keep_their_shape_only_where_nothing_changes():
    """A passed object comes back as it was; one that did not pass is replaced as a whole, values included."""
    passed = GuardedQueryEngine(Structured(answer=Height(says=GOOD, metres=64)), guard_for("block")).query("?")
    assert isinstance(passed, PydanticResponse)
    assert passed.metres == 64
    assert passed.metadata["guardrail"].report.answer == f"{GOOD}\nmetres: 64"
    wrong = Structured(answer=Height(says=GOOD, metres=1, more=[BAD]))
    blocked = GuardedQueryEngine(wrong, guard_for("block"), hide_from="all").query("?")
    assert type(blocked) is Response
    assert "sharks" not in repr(blocked)


def test_own_passages():
    """Generated nodes (sub-answers) can be kept out of the evidence."""
    engine = GuardedQueryEngine(
        inner_engine(), Guard(engine=FakeEngine()), passages=lambda nodes: to_passages(nodes)[:1]
    )
    response = engine.query("How high?")
    assert len(response.metadata["guardrail"].report.passages) == 1
    assert len(response.source_nodes) == 2


@pytest.mark.parametrize("streaming", [False, True])
def test_synthesize_is_guarded_too(streaming):
    """Engines that use this one as a tool may call synthesize: nothing leaves there unchecked either."""
    engine = GuardedQueryEngine(inner_engine(streaming=streaming), guard_for("redact"))
    nodes = engine.retrieve(QueryBundle("How high?"))
    assert len(nodes) == 2
    assert drained(engine.synthesize(QueryBundle("How high?"), nodes)) == GOOD

    async def work():
        response = await engine.asynthesize(QueryBundle("How high?"), nodes)
        return await joined(response) if streaming else str(response)

    assert asyncio.run(work()) == GOOD


def test_an_error_of_the_model_passes_through():
    """What the inner engine raises reaches the caller, in streams too."""
    broken = RecordedLLM(answers={})
    with pytest.raises(LookupError, match="no recorded answer"):
        GuardedQueryEngine(inner_engine(broken), guard_for("block")).query("How high?")
    for mode in ("buffer", "sentence"):
        engine = GuardedQueryEngine(inner_engine(broken, streaming=True), guard_for("block"), mode=mode)
        with pytest.raises(LookupError, match="no recorded answer"):
            drained(engine.query("How high?"))


def test_summary_index_and_the_local_engine():
    """A real index, a real check: a wrong number is redacted, the nodes' ids and titles are the passages'."""
    wrong = TEXT.replace("17:00", "22:30")
    index = SummaryIndex([scored.node for scored in fixture_nodes()])
    inner = index.as_query_engine(llm=llm(f"{GOOD} {wrong}"))
    guard = Guard(policy=Policy.repair().with_(actions={"contradicted": "redact", "unsupported": "redact"}))
    response = GuardedQueryEngine(inner, guard, hide_from="all").query("When is the walkway open?")
    assert str(response) == GOOD
    assert "22:30" not in repr(response)
    report = response.metadata["guardrail"].report
    assert report.verdict is Verdict.CONTRADICTED
    assert [p.id for p in report.passages] == ["n1", "n2"]
    assert [p.title for p in report.passages] == ["Larkmoor Dam", None]


def test_retriever_query_engine_without_documents():
    """LlamaIndex's "Empty Response" has no sources: strict does not let it pass for an answer."""

    class Nothing(BaseRetriever):
        def _retrieve(self, query_bundle):
            return []

    inner = RetrieverQueryEngine.from_args(Nothing(), llm=llm())
    response = GuardedQueryEngine(inner, Guard(policy=Policy.strict(), engine=FakeEngine())).query("How high?")
    assert response.source_nodes == []
    assert response.metadata["guardrail"].report.verdict in (Verdict.UNVERIFIED, Verdict.ABSTAINED)


def test_nodes_that_share_an_id_stay_apart():
    """Merged results can hold one node twice; both become passages with ids of their own."""
    node = NodeWithScore(node=TextNode(id_="n1", text=TEXT))
    assert [p.id for p in to_passages([node, node])] == ["n1", "n1#2"]


def test_wrong_arguments_are_refused():
    """A policy in place of the guard, or an unknown mode, is a clear error."""
    with pytest.raises(UsageError, match="must be a Guard, got Policy"):
        GuardedQueryEngine(inner_engine(), Policy.strict())
    with pytest.raises(UsageError, match="Did you mean 'buffer'"):
        GuardedQueryEngine(inner_engine(), Guard(), mode="bufer")
