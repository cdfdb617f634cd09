"""Passages looked up for an answer that comes without any."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, field

import pytest

from guardrail import Cause, ConfigurationError, Guard, Passage, Policy, UsageError
from guardrail.check.retrieve import IN_ALL, merge
from guardrail.retrieval import AsyncRetriever, Retriever
from guardrail.retrieval.bm25 import BM25Retriever
from guardrail.testing import FakeEngine

DOCUMENTS = {
    "dam": "Larkmoor Dam was built between 1958 and 1963. It is 64 metres high.",
    "bees": "Honey bees dance to tell others of their hive where flowers are.",
    "wall": "长城始建于春秋战国时期。明长城全长8851.8公里。",
    "panda": "大熊猫生活在四川的竹林里，以竹子为食。",
}
ANSWER = "Larkmoor Dam is 64 metres high. Bees dance for their hive."


@pytest.fixture(scope="module")
def bm25():
    return BM25Retriever([{"id": key, "text": text} for key, text in DOCUMENTS.items()])


@dataclass(frozen=True)
class Told:
    """Gives what it was told to, for any query, or raises it."""

    reply: object
    queries: list = field(default_factory=list)
    seconds: float = 0.0

    def retrieve(self, query, limit):
        self.queries.append((query, limit))
        time.sleep(self.seconds)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


@dataclass(frozen=True)
class Awaited:
    """The same, to be awaited."""

    inner: Told

    async def aretrieve(self, query, limit):
        await asyncio.sleep(self.inner.seconds)
        return Told(self.inner.reply, self.inner.queries).retrieve(query, limit)


def test_the_protocols():
    """What the guard takes for a retriever."""
    assert isinstance(Told(()), Retriever)
    assert isinstance(Awaited(Told(())), AsyncRetriever)
    with pytest.raises(ConfigurationError, match="retriever must have `retrieve`"):
        Guard(engine=FakeEngine(), retriever="folder")


def test_zero_context(bm25):
    """Question and each segment are asked for; the passages are in the report, which says where they are from."""
    guard = Guard(engine=FakeEngine({"Bees": "unsupported"}), retriever=bm25)
    for report in (guard.check(ANSWER, []), asyncio.run(guard.acheck(ANSWER, ["", " "]))):
        assert (report.retrieved, [p.id for p in report.passages]) == (True, ["dam#1", "bees#1"])
        assert [f.verdict for f in report.findings] == ["supported", "unsupported"]


def test_given_passages_are_used_as_they_are():
    """Noisy context (several) and accurate context (one, read whole): nothing is looked up."""
    told = Told(["no"])
    guard = Guard(engine=FakeEngine(), retriever=told)
    assert not guard.check(ANSWER, ["a", "b"]).retrieved
    assert not guard.check(ANSWER, ["one document"]).retrieved
    assert told.queries == []


def test_queries():
    """Each segment's own text after the question, each query once."""
    told = Told(["Bees."])
    guard = Guard(engine=FakeEngine(), retriever=told)
    guard.check("The dam is high. It was built in 1963. The dam is high.", [], question="What of the dam?")
    assert told.queries == [
        ("What of the dam? The dam is high.", 3),
        ("What of the dam? The dam was built in 1963.", 3),
    ]
    guard.check("I do not know.", [])
    assert len(told.queries) == 2


def test_claims_are_looked_up_too():
    """One query per claim."""
    told = Told(["x"])
    Guard(engine=FakeEngine(), retriever=told).check(ANSWER, [], claims=[("a", "b", "c")])
    assert told.queries == [("a b c.", 3)]


FAILING = {
    "error": (Told(ConnectionError("secret")), "the retriever failed: ConnectionError"),
    "usage error": (Told(UsageError("secret")), "the retriever failed: UsageError"),
    "stop": (Told(StopIteration()), "the retriever failed: "),
    "no list": (Told(None), "the retriever failed: UsageError"),
    "no passages": (Told([3]), "the retriever failed: UsageError"),
    "nothing": (Told([]), "nothing was retrieved for it"),
    "blank": (Told([" "]), "nothing was retrieved for it"),
}


@pytest.mark.parametrize(("told", "reason"), FAILING.values(), ids=FAILING)
def test_a_retriever_that_fails_leaves_unverified_findings(told, reason):
    """Never an exception, and nothing of its message."""
    guard, awaited = (Guard(engine=FakeEngine(), retriever=r) for r in (told, Awaited(told)))
    reports = [guard.check(ANSWER, []), asyncio.run(guard.acheck(ANSWER, [])), asyncio.run(awaited.acheck(ANSWER, []))]
    for report in reports:
        assert [f.verdict for f in report.findings] == ["unverified"] * 2
        assert all(f.reason.startswith(reason) for f in report.findings), report.findings
        assert (report.retrieved, report.passages, report.verdict) == (False, (), "unverified")
        assert "secret" not in repr(report)


def test_one_failing_query_fails_all():
    """With passages for half of the answer the other half would seem to be unsupported."""

    class Half:
        def retrieve(self, query, limit):
            if "Bees" in query:
                raise OSError("down")
            return ["The dam is high."]

    report = Guard(engine=FakeEngine(), retriever=Half()).check(ANSWER, [])
    assert [f.verdict for f in report.findings] == ["unverified"] * 2


def test_a_slow_retriever_meets_the_deadline():
    """In time, unverified."""
    policy = Policy.monitor().with_(deadline=0.2)
    for retriever in (Told(["x"], seconds=0.3), Awaited(Told(["x"], seconds=600.0))):
        guard = Guard(policy=policy, engine=FakeEngine(), retriever=retriever)
        report = asyncio.run(asyncio.wait_for(guard.acheck(ANSWER, []), 120))
        assert report.verdict == "unverified"
    assert (
        Guard(policy=policy, engine=FakeEngine(), retriever=Told(["x"], seconds=0.3)).check(ANSWER, []).verdict
        == "unverified"
    )


def test_a_retriever_that_hangs_holds_nobody():
    """Nor a sync caller: at the deadline the answer is unverified."""
    free = threading.Event()

    class Hanging:
        def retrieve(self, query, limit):
            free.wait(60)
            return ["The dam is high."]

    async def in_time(guard):
        try:
            return await guard.arun(ANSWER, [])
        finally:
            assert not free.is_set()
            free.set()  # asyncio.run waits for the threads of its pools

    guard = Guard(policy=Policy.strict().with_(deadline=0.2), engine=FakeEngine(), retriever=Hanging())
    try:
        for guarded in (guard.run(ANSWER, []), asyncio.run(in_time(guard))):
            assert {f.cause for f in guarded.report.findings} == {Cause.TIMEOUT}
            assert guarded.action == "block"
            assert "time limit" in guarded.text
    finally:
        free.set()


def test_a_retriever_that_can_only_be_awaited():
    """Under check it is the caller's mistake; under acheck it is awaited beside any engine."""
    guard = Guard(engine=FakeEngine(), retriever=Awaited(Told(["The dam is high."])))
    with pytest.raises(UsageError, match="acheck"):
        guard.check(ANSWER, [])
    assert asyncio.run(guard.acheck(ANSWER, [])).retrieved


def passages(*texts):
    return [Passage(id=str(n), text=text) for n, text in enumerate(texts, 1)]


def test_merging():
    """First places first, then what most queries got; each text once, ids unique; ten at most, or all firsts."""
    found = merge([passages("a", "b", "c", "too many"), passages("d", "c"), passages("e", "c")])
    assert [p.text for p in found.passages] == ["a", "d", "e", "c", "b"]
    assert [p.id for p in found.passages] == ["1", "2", "3", "4", "5"]
    many = merge([passages(f"a{n}", f"b{n}") for n in range(20)]).passages
    assert [p.text for p in many] == [f"a{n}" for n in range(20)]
    few = merge([passages(" ", f"a{n}", f"b{n}") for n in range(7)]).passages
    assert [p.text for p in few] == [f"a{n}" for n in range(7)] + ["b0", "b1", "b2"]
    assert len(few) == IN_ALL
    own = [Passage(id="x", text="a"), Passage(id="y", text="b")]
    assert [p.id for p in merge([own, own[::-1]]).passages] == ["x", "y"]


def test_no_sentence_of_a_long_answer_loses_its_own_passage():
    """Each stands word for word in a document of its own, so none may seem to be invented."""
    names = [f"{first}{last}" for first in ("Fen", "Lark", "Brin", "Ash", "Tol") for last in ("wick", "moor", "by")]
    facts = [f"{name} Bridge was opened in {1900 + n} by {name}son." for n, name in enumerate(names)]
    report = Guard(engine=FakeEngine(), retriever=BM25Retriever(facts)).check(" ".join(facts), [])
    assert {p.text for p in report.passages} >= set(facts)
