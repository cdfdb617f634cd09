"""Documents cut into passages."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guardrail.retrieval.chunks import chunk


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
