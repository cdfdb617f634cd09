"""Zero context: documents, chunks, BM25 in English and Chinese, retrievers that fail, and what the report says."""

from __future__ import annotations

import builtins
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from guardrail import ConfigurationError, MissingExtraError, Passage, UsageError
from guardrail.retrieval.bm25 import BM25Retriever

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


def test_documents_may_be_passages_with_titles():
    """Titles are searched and kept."""
    retriever = BM25Retriever(
        [Passage(id="a", title="Dick Hanley (swimmer)", text="He won a medal."), Passage(id="b", text="Bees.")]
    )
    [found] = retriever.retrieve("Hanley", 3)
    assert (found.id, found.title, len(retriever)) == ("a#1", "Dick Hanley (swimmer)", 2)


def test_five_thousand_documents(tmp_path):
    """Built once, and each is found."""
    rows = [
        json.dumps({"text": f"Tower {n} stands in street {n % 97}. It was built in {1000 + n}."}) for n in range(5_000)
    ]
    (tmp_path / "towers.jsonl").write_text("\n".join(rows), encoding="utf-8")
    retriever = BM25Retriever(tmp_path)
    found = [retriever.retrieve(f"Which tower was built in {1000 + n}?", 3)[0].id for n in range(0, 5_000, 100)]
    assert found == [f"towers.jsonl:{n + 1}#1" for n in range(0, 5_000, 100)]
