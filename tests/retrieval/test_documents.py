"""Folders of documents to retrieve from."""

from __future__ import annotations

import pytest

from guardrail import UsageError
from guardrail.retrieval.bm25 import BM25Retriever
from guardrail.retrieval.documents import read_folder


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
