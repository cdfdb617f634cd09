"""Zero context: documents, chunks, BM25 in English and Chinese, retrievers that fail, and what the report says."""

from __future__ import annotations

import asyncio
import builtins
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail import ConfigurationError, Guard, MissingExtraError, Passage, Policy, UsageError
from guardrail.check.retrieve import IN_ALL, merge
from guardrail.retrieval import AsyncRetriever, Retriever
from guardrail.retrieval.bm25 import BM25Retriever
from guardrail.retrieval.chunks import chunk
from guardrail.retrieval.documents import read_folder
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


QUERIES = {
    "English": ("How high is Larkmoor dam?", "dam#1"),
    "endings": ("dancing bee", "bees#1"),
    "Chinese": ("明长城有多长？", "wall#1"),
    "Chinese pairs": ("熊猫吃什么", "panda#1"),
    "both": ("8851.8 kilometres", "wall#1"),
}


@pytest.mark.parametrize(("query", "first"), QUERIES.values(), ids=QUERIES)
def test_the_best_passage_comes_first(bm25, query, first):
    """Own tokenization, so that Chinese works."""
    assert bm25.retrieve(query, 3)[0].id == first


def test_two_chinese_characters_together_are_more_than_both_apart():
    """A longer text with the word against a shorter one with its characters."""
    retriever = BM25Retriever(["公共花园门口。", "这座城市的公园非常大，里面有许多古老的树木和小湖。"])
    assert [p.id for p in retriever.retrieve("公园", 2)] == ["2#1", "1#1"]


def test_nothing_in_common_gives_nothing(bm25):
    """Not the first documents."""
    assert [tuple(bm25.retrieve(q, 3)) for q in ("", "the of", "zebra", "\ud800")] == [()] * 4
    assert bm25.retrieve("dam", 0) == ()


def test_ties_come_in_the_order_of_the_documents():
    """Whatever the run."""
    retriever = BM25Retriever([f"Tower {word} stands." for word in ("one", "two", "three", "four")])
    assert [p.id for p in retriever.retrieve("a tower", 3)] == ["1#1", "2#1", "3#1"]


def test_threads_share_a_retriever(bm25):
    """The same answers as alone."""
    wanted = [bm25.retrieve(query, 3) for query, _ in QUERIES.values()]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            assert list(pool.map(lambda q: bm25.retrieve(q[0], 3), QUERIES.values())) == wanted


def test_a_folder_of_documents(tmp_path):
    """Ids are paths, titles exact; hidden files and other suffixes are left out."""
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.txt").write_text("Hidden.", encoding="utf-8")
    (tmp_path / "Dick Hanley (swimmer).txt").write_text("He swam.", encoding="utf-8")
    (tmp_path / "a.md").write_text("\ufeff\n# The Dam of Larkmoor #\n\nIt is high.", encoding="utf-8")
    (tmp_path / "b.md").write_text("No heading.\n# Later", encoding="utf-8")
    (tmp_path / "sub" / "长城.txt").write_text("长城很长。", encoding="utf-8")
    (tmp_path / "sub" / "z.jsonl").write_text(
        '{"id": 3, "title": "T", "text": "x y"}\n\n{"text": "no id"}\n', encoding="utf-8"
    )
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    (tmp_path / "c.csv").write_text("no", encoding="utf-8")
    assert [(d.id, d.title) for d in read_folder(tmp_path)] == [
        ("Dick Hanley (swimmer).txt", "Dick Hanley (swimmer)"),
        ("a.md", "The Dam of Larkmoor"),
        ("b.md", "b"),
        ("3", "T"),
        ("sub/z.jsonl:3", None),
        ("sub/长城.txt", "长城"),
    ]
    assert [p.id for p in BM25Retriever(tmp_path).retrieve("长城", 3)] == ["sub/长城.txt#1"]


BAD = {
    "json": ("x.jsonl", b"{", "line 1 is not valid JSON"),
    "text": ("x.jsonl", b'{"text": "a"}\n{"txt": "b"}', "line 2: text: field required"),
    "list": ("x.jsonl", b"[1]", "line 1: "),
    "utf8": ("x.txt", b"caf\xe9", "is not UTF-8"),
    "twins": (
        "x.jsonl",
        b'{"id": "a", "text": "a"}\n{"id": "a", "text": "b"}',
        r"x\.jsonl' has a document with the same id 'a'",
    ),
    "nothing": ("x.txt", b" ", "holds no text"),
}


@pytest.mark.parametrize(("name", "content", "message"), BAD.values(), ids=BAD)
def test_documents_that_cannot_be_read(tmp_path, name, content, message):
    """At once, with file and line."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=message):
        BM25Retriever(tmp_path)


def test_wrong_arguments(tmp_path):
    """No folder, no documents, no words."""
    with pytest.raises(UsageError, match="no folder"):
        BM25Retriever(tmp_path / "none")
    for nothing in ([], ["the of and", "is"]):
        with pytest.raises(UsageError, match="no documents"):
            BM25Retriever(nothing)
    with pytest.raises(ConfigurationError, match="words must be at least 1"):
        BM25Retriever(["x"], words=0)


def test_without_the_package_the_line_to_install_it_is_named(monkeypatch):
    """As for every extra."""
    real = builtins.__import__

    def without(name, *rest, **kwargs):
        if name == "bm25s":
            raise ImportError(name)
        return real(name, *rest, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r'pip install "rag-guardrail\[retrieval\]"'):
        BM25Retriever(["x"])


def test_chunks_are_whole_paragraphs_then_whole_sentences():
    """Neighbours share a chunk while they fit."""
    long = " ".join(f"Sentence number {n} is here." for n in range(6))  # 30 words
    text = f"# Title\n\nOne short paragraph.\n\n{long}\n\nAfter it.\n"
    pieces = [span.of(text) for span in chunk(text, 12)]
    assert pieces[0] == "# Title\n\nOne short paragraph."
    assert pieces[1:3] == [
        "Sentence number 0 is here. Sentence number 1 is here.",
        "Sentence number 2 is here. Sentence number 3 is here.",
    ]
    assert pieces[-1] == "After it."
    assert chunk("One two.\r\n\r\nThree four.", 2) == ((0, 8), (12, 23))
    assert [span.of("我" * 250) for span in chunk("我" * 250, 120)] == ["我" * 120, "我" * 120, "我" * 10]
    assert [s.of("长城很长。熊猫很胖。") for s in chunk("长城很长。熊猫很胖。", 6)] == ["长城很长。", "熊猫很胖。"]


@given(st.text(alphabet="ab.。 \n长城!?", max_size=300), st.integers(1, 9))
def test_chunks_lose_no_word(text, words):
    """In order, without overlap, none too long."""
    spans = chunk(text, words)
    assert "".join("".join(s.of(text).split()) for s in spans) == "".join(text.split())
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(len(s.of(text).split()) <= words for s in spans)


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
    for retriever in (Told(["x"], seconds=0.3), Awaited(Told(["x"], seconds=3.0))):
        guard = Guard(policy=policy, engine=FakeEngine(), retriever=retriever)
        started = time.monotonic()
        report = asyncio.run(guard.acheck(ANSWER, []))
        assert time.monotonic() - started < 2.0
        assert report.verdict == "unverified"
    assert (
        Guard(policy=policy, engine=FakeEngine(), retriever=Told(["x"], seconds=0.3)).check(ANSWER, []).verdict
        == "unverified"
    )


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


def test_documents_may_be_passages_with_titles():
    """Titles are searched and kept."""
    retriever = BM25Retriever(
        [Passage(id="a", title="Dick Hanley (swimmer)", text="He won a medal."), Passage(id="b", text="Bees.")]
    )
    [found] = retriever.retrieve("Hanley", 3)
    assert (found.id, found.title, len(retriever)) == ("a#1", "Dick Hanley (swimmer)", 2)


def test_five_thousand_documents(tmp_path):
    """Built once; a query is fast."""
    rows = [
        json.dumps({"text": f"Tower {n} stands in street {n % 97}. It was built in {1000 + n}."}) for n in range(5_000)
    ]
    (tmp_path / "towers.jsonl").write_text("\n".join(rows), encoding="utf-8")
    retriever = BM25Retriever(tmp_path)
    started = time.perf_counter()
    found = [retriever.retrieve(f"Which tower was built in {1000 + n}?", 3)[0].id for n in range(0, 5_000, 100)]
    assert found == [f"towers.jsonl:{n + 1}#1" for n in range(0, 5_000, 100)]
    assert (time.perf_counter() - started) / 50 < 0.05
