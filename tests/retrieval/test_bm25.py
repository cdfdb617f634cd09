"""Zero context: documents, chunks, BM25 in English and Chinese, retrievers that fail, and what the report says."""

from __future__ import annotations

import builtins
import json
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail import ConfigurationError, MissingExtraError, Passage, UsageError
from guardrail.retrieval.bm25 import BM25Retriever
from guardrail.retrieval.chunks import chunk
from guardrail.retrieval.documents import read_folder

DOCUMENTS = {
    "dam": "Larkmoor Dam was built between 1958 and 1963. It is 64 metres high.",
    "bees": "Honey bees dance to tell others of their hive where flowers are.",
    "wall": "长城始建于春秋战国时期。明长城全长8851.8公里。",
    "panda": "大熊猫生活在四川的竹林里，以竹子为食。",
}


@pytest.fixture(scope="module")
def bm25():
    return BM25Retriever([{"id": key, "text": text} for key, text in DOCUMENTS.items()])


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
