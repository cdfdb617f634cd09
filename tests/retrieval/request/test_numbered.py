"""Sources behind numbers."""

from __future__ import annotations

import pytest

from tests.support.written_sources import DAM, OPENED, read


@pytest.mark.parametrize(
    ("text", "sources", "question"),
    [
        (
            f"Use these sources.\n\n[1] {DAM}\n[2] {OPENED}\n\nHow high is it?",
            [(DAM, None, "1", "numbered_sources"), (OPENED, None, "2", "numbered_sources")],
            "Use these sources.\nHow high is it?",
        ),
        (
            f"Source 1 (dam.pdf): {DAM}\n\n{OPENED}\nSource 2: It cost 3 million.\n\nMore.\nQuestion: How high?",
            [
                (f"{DAM}\n\n{OPENED}", "dam.pdf", "1", "numbered_sources"),
                ("It cost 3 million.\n\nMore.", None, "2", "numbered_sources"),
            ],
            "How high?",
        ),
        ("1. Be brief.\n2. Cite as [1].\n3. Never guess.", [], "1. Be brief.\n2. Cite as [1].\n3. Never guess."),
        ("What does [1] mean?", [], "What does [1] mean?"),
        ("[3] is the third of the sources", [], "[3] is the third of the sources"),
    ],
)
def test_forms(text, sources, question):
    assert read(text) == (sources, question)


@pytest.mark.parametrize(
    "text",
    [
        "[1] a b c\n" * 30_000,
    ],
)
def test_hostile_texts_are_read(text):
    """Whatever is between two tags or marks; a search that is not linear would not end here."""
    sources, _ = read(text)
    assert len(sources) <= 1
