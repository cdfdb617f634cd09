"""Sources in a section called Context, and what is asked beside sources."""

from __future__ import annotations

import pytest

from tests.support.written_sources import DAM, OPENED, read


@pytest.mark.parametrize(
    ("text", "sources", "question"),
    [
        (
            (
                "Context information is below.\n---------------------\nfile_path: dam.txt\n\n"
                f"{DAM}\n---------------------\nGiven the context information and not prior knowledge, answer the query.\n"
                "Query: How high?\nAnswer: "
            ),
            [(f"file_path: dam.txt\n\n{DAM}", None, "", "context_section")],
            "How high?",
        ),
        (
            f"You are an assistant. Use the context.\nQuestion: How high? \nContext: {DAM}\n\n{OPENED} \nAnswer:",
            [(f"{DAM}\n\n{OPENED}", None, "", "context_section")],
            "How high?",
        ),
        (f"Context:\n{DAM}\n\nIs it 90 metres high?", [(DAM, None, "", "context_section")], "Is it 90 metres high?"),
        ("", [], None),
    ],
)
def test_forms(text, sources, question):
    assert read(text) == (sources, question)


@pytest.mark.parametrize(
    "text",
    [
        "Context:\n" * 40_000,
        "Question:" + " " * 300_000,
        "\n" * 300_000 + "Context: " + "\n \n" * 100_000,
        "-" * 300_000,
    ],
)
def test_hostile_texts_are_read(text):
    """Whatever is between two tags or marks; a search that is not linear would not end here."""
    sources, _ = read(text)
    assert len(sources) <= 1
