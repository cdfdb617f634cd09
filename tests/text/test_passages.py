"""Passages cut into sentences and windows."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guardrail.text.passages import WINDOW_WORDS, around, sentences, titled, windows
from guardrail.types import Passage, Span

TEXT = "The mill is old. It was built in 1900.\nThe dam is new."


def test_sentences_quote_the_passage():
    assert [s.text for s in sentences(TEXT)] == ["The mill is old.", "It was built in 1900.", "The dam is new."]
    assert all(s.span.of(TEXT) == s.text for s in sentences(TEXT))
    assert sentences(" \n ") == ()


def test_long_passages_are_cut_alike():
    """Above the size that is kept in memory the result is the same."""
    assert [s.text for s in sentences(TEXT + "\n" + TEXT * 100)][:3] == [s.text for s in sentences(TEXT)]


def test_a_sentence_without_end_is_cut_between_words():
    text = "word " * (WINDOW_WORDS + 5)
    assert [s.length for s in sentences(text)] == [WINDOW_WORDS, 5]


def test_chinese_sentences_count_characters():
    first, second = sentences("磨坊很古老。大坝是新的。")
    assert (first.text, second.text) == ("磨坊很古老。", "大坝是新的。")
    assert first.length >= 5


def test_facts_of_a_sentence_are_read_when_asked_for():
    assert [fact.surface for fact in sentences(TEXT)[1].facts.facts] == ["1900"]


def test_windows_share_a_sentence_and_cover_the_passage():
    passage = Passage(id="p", text="The old mill has seven floors and one wheel. " * 40)
    found = windows(3, passage)
    assert found[0].first == 0
    assert found[-1].last == len(sentences(passage.text)) - 1
    assert all(w.passage == 3 for w in found)
    assert all(later.first == earlier.last for earlier, later in pairwise(found))


def test_the_sentences_around_a_span():
    span = Span(TEXT.index("1900"), TEXT.index("1900") + 4)
    assert around(TEXT, span) == "It was built in 1900."
    assert around(TEXT, span, before=1) == "The mill is old. It was built in 1900."
    assert around("  ", Span(0, 1)) == " "


def test_a_title_stands_before_a_text_that_does_not_open_with_it():
    assert titled("Mill", "It is old.") == "Mill: It is old."
    assert titled("Mill", "The Mill is old.") == "The Mill is old."
    assert titled(None, "It is old.") == titled("", "It is old.") == "It is old."


def test_sentences_keep_the_spans_of_the_source() -> None:
    text = "Prices are net.\n\n| Plan | Price |\n|---|---|\n| A | 5 |\n\nAsk us."
    found = sentences(text)
    assert [s.text for s in found if "Plan: A" in s.text] == ["Plan: A; Price: 5."]
    assert "| A | 5 |" in [s.span.of(text) for s in found]
    assert (found[0].text, found[-1].text) == ("Prices are net.", "Ask us.")


@given(st.text('|-:,;\t\n<>trdh/{}[]"a1 *', max_size=120))
def test_any_text_is_read_and_sentences_stay_in_order(text: str) -> None:
    spans = [sentence.span for sentence in sentences(text)]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


def test_a_german_date_is_no_end_of_a_sentence() -> None:
    text = "Die Saison dauert vom 10. Mai bis 14. September 2025. Montag ist zu. Der Raum ist im 2. Stock."
    assert [sentence.text for sentence in sentences(text)][:2] == [
        "Die Saison dauert vom 10. Mai bis 14. September 2025.",
        "Montag ist zu.",
    ]
