"""Passages from files of all kinds."""

from __future__ import annotations

import json

import pytest

from guardrail import UsageError
from guardrail.evaluation.data.passages import read_sources

TEXT = (
    "The town library has 84 seats. Some readers voted against the plan. The old hall closed because the roof leaked. "
    "All books are lent free except the atlases. The choir sang before the mayor opened the hall."
)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "passages.jsonl"
    path.write_text(json.dumps({"id": 7, "title": "Library", "text": TEXT}) + "\n", encoding="utf-8")
    return path


def test_what_is_hidden_is_passed_over(corpus, tmp_path):
    (tmp_path / ".git").mkdir()
    for name in (".hidden.txt", ".git/notes.md"):
        (tmp_path / name).write_text("Nobody should read this.")
    assert [passage.title for passage in read_sources(tmp_path)] == ["Library"]


def test_all_forms_of_passages_are_read(tmp_path):
    """A folder: texts, objects, records with passages, Markdown with headings, plain text; doubles once."""
    lines = [
        "One bare text.",
        {"text": "With an id.", "id": 3},
        {"answer": "x", "passages": ["Inside.", {"text": "With an id."}]},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (tmp_path / "b.md").write_text(
        "# Rules\n\nDogs are fine.\n\n- a list\n\n## Fees\n\nA day costs 3 euros.\n", encoding="utf-8"
    )
    (tmp_path / "c.txt").write_text("First paragraph.\nIt goes on.\n\nSecond one.", encoding="utf-8")
    found = {(passage.title, passage.text) for passage in read_sources(tmp_path)}
    assert found == {
        (None, "One bare text."),
        (None, "With an id."),
        (None, "Inside."),
        ("Rules", "Dogs are fine."),
        ("Fees", "A day costs 3 euros."),
        ("c", "First paragraph. It goes on.\nSecond one."),
    }
    assert len({passage.id for passage in read_sources(tmp_path)}) == 6


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no passages in the folder"):
        read_sources(tmp_path)
