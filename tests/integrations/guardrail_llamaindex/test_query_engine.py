"""GuardedQueryEngine around real llama-index-core engines with a recorded model."""

import asyncio
import threading

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedQueryEngine
from llama_index.core import SummaryIndex
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import QueryBundle

from guardrail import Action, Guard, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine
from guardrail.types import Row, SupportMatrix
from tests.support.llama_queries import (
    BAD,
    GOOD,
    MENDED,
    RUNS,
    TEXT,
    ask,
    drained,
    fixture_nodes,
    guard_for,
    inner_engine,
    joined,
    llm,
)
from tests.support.recorded_llama import RecordedLLM

ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")


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

    def __init__(self):
        self.working = self.most = 0

    async def averify(self, request):
        self.working += 1
        self.most = max(self.most, self.working)
        await asyncio.sleep(0.3)
        self.working -= 1
        rows = (Row(segment_id=s.id, cells=(None,) * len(request.passages), supported=0.9) for s in request.segments)
        return SupportMatrix(rows=tuple(rows))


def test_async_does_not_block_the_loop():
    """Checks wait at the same time, not one after the other; a sync query says what to use instead."""
    slow = SlowAsync()
    engine = GuardedQueryEngine(inner_engine(), Guard(engine=slow))

    async def many():
        return await asyncio.gather(*(engine.aquery("How high?") for _ in range(8)))

    assert all(r.metadata["guardrail"].report.verdict is Verdict.SUPPORTED for r in asyncio.run(many()))
    assert slow.most > 1
    with pytest.raises(UsageError, match="await"):
        engine.query("How high?")


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


def test_wrong_arguments_are_refused():
    """A policy in place of the guard, or an unknown mode, is a clear error."""
    with pytest.raises(UsageError, match="must be a Guard, got Policy"):
        GuardedQueryEngine(inner_engine(), Policy.strict())
    with pytest.raises(UsageError, match="Did you mean 'buffer'"):
        GuardedQueryEngine(inner_engine(), Guard(), mode="bufer")
