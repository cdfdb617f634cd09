"""Chunk borders by the models' own rules, and halves where even those do not fit."""

from __future__ import annotations

import pytest

from guardrail.engines.cross_encoder.windows import (
    cut_in_two,
    even,
    filled,
    halves,
    pieces,
    windows,
    words,
    words_and_marks,
)
from guardrail.engines.local.passage_index import Library
from guardrail.types import Passage


def ranges(found):
    return [(r.start, r.stop) for r in found]


def test_sentences_fill_a_chunk_up_to_its_size():
    texts = ["a b c", "d e", "f", "g h i j", "k"]
    assert ranges(filled(texts, words, 5)) == [(0, 2), (2, 4), (4, 5)]
    assert ranges(filled(texts, words, 6)) == [(0, 3), (3, 5)]
    assert ranges(filled(texts, words, 1)) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert filled([], words, 5) == []


def test_alignscore_divides_the_sentences_evenly():
    sentence = " ".join(["word"] * 100)
    assert ranges(even([sentence] * 3, 350)) == [(0, 3)]  # 300 // 350 + 1 = 1 chunk
    assert ranges(even([sentence] * 4, 350)) == [(0, 2), (2, 4)]  # 400 // 350 + 1 = 2 chunks of 4 // 2 sentences
    assert ranges(even([sentence] * 7, 350)) == [(0, 2), (2, 4), (4, 6), (6, 7)]  # 3 chunks wanted, 7 // 3 = 2 each
    assert ranges(even([" ".join(["word"] * 900)], 350)) == [(0, 1)]
    assert even([], 350) == []


def test_marks_count_as_words():
    assert words_and_marks("It is 64 m high, they say.") == 9


TEXT = "One is here. Two is there.\nThree stands on its own line.  Four."


def test_windows_join_sentences_as_the_model_wants_it():
    library = Library((Passage(id="a", text=TEXT), Passage(id="b", text=""), Passage(id="c", text="Last.")))
    every = lambda texts: [range(len(texts))] if texts else []  # noqa: E731
    assert [w.text for w in windows(library, 0, every, None)] == [TEXT]
    assert [w.text for w in windows(library, 0, every, "\n")] == [
        "One is here.\nTwo is there.\nThree stands on its own line.\nFour."
    ]
    assert windows(library, 1, every, None) == []
    (last,) = windows(library, 2, every, " ")
    assert [library.sentences[i].text for i in last.parts] == ["Last."]


def test_a_title_goes_before_each_window():
    library = Library((Passage(id="a", title="Counting", text=TEXT),))
    single = lambda texts: [range(n, n + 1) for n in range(len(texts))]  # noqa: E731
    found = windows(library, 0, single, None)
    assert [w.text for w in found] == [
        "Counting: One is here.",
        "Counting: Two is there.",
        "Counting: Three stands on its own line.",
        "Counting: Four.",
    ]


def test_halves_lose_nothing():
    library = Library((Passage(id="a", text=TEXT),))
    (whole,) = windows(library, 0, lambda texts: [range(len(texts))], None)
    left, right = halves(library, whole, None)
    assert (left.text, right.text) == ("One is here. Two is there.", "Three stands on its own line.  Four.")
    assert left.parts + right.parts == whole.parts
    one, two = halves(library, halves(library, left, None)[0], None)
    assert one.text + two.text == "One is here."
    assert one.parts == two.parts


@pytest.mark.parametrize("text", ["one two three four", "水水水水水", "x" * 9, "a bbbbbbbbbbbbbbbbbbb", "  a  b  "])
def test_pieces_put_together_are_the_text(text):
    found = pieces(text, lambda piece: len(piece) <= 4)
    assert "".join(span.of(text) for span in found) == text
    assert all(len(span.of(text)) <= 4 for span in found)
    assert pieces(text, lambda _: True) == [(0, len(text))]


def test_what_cannot_be_cut_stays():
    assert cut_in_two("x") == ((0, 1),)
    assert pieces("ab", lambda _: False) == [(0, 1), (1, 2)]
