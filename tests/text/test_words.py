"""Words of a text, their stems, and how much of a claim other texts cover."""

import pytest

from guardrail.text.words import Overlap, content_words, has_words, is_cjk, placed_words, read_words, stem


def test_content_words_are_stems_without_stop_words():
    assert content_words("The mills were Painted by the painter's friends") == ("mill", "paint", "paint", "friend")
    assert content_words("磨坊的门") == ("磨", "坊", "门")
    assert content_words("") == ()


def test_placed_words_quote_the_text():
    text = "The old mill."
    assert [(word, span.of(text)) for word, span in placed_words(text)] == [("old", "old"), ("mill", "mill")]


@pytest.mark.parametrize(
    ("word", "root"), [("pays", "pay"), ("paying", "pay"), ("bus", "bus"), ("été", "été"), ("it's", "it")]
)
def test_stem(word, root):
    assert stem(word) == root


def test_read_words_have_places_and_bare_forms():
    words = read_words("Müller’s 1,200 birds 磨")
    assert [(w.form, w.stem) for w in words] == [("muller", "mull"), ("1,200", ""), ("birds", "bird"), ("磨", "磨")]
    assert (words[1].start, words[1].end) == (9, 14)
    assert [w.form for w in read_words("DVDは3枚")] == ["dvd", "は", "3", "枚"]


def test_has_words_and_is_cjk():
    assert has_words("—a") and has_words("7") and not has_words("— _ !")  # noqa: PT018
    assert is_cjk("磨") and not is_cjk("a")  # noqa: PT018


def test_rare_words_weigh_more():
    overlap = Overlap([("mill", "old"), ("mill", "new"), ("dam",)])
    assert overlap.weight("dam") > overlap.weight("mill")
    assert overlap.weight("unseen") >= overlap.weight("dam")
    assert overlap.coverage(("mill", "old"), [0]) == 1.0
    assert 0 < overlap.coverage(("mill", "old"), [1]) < 0.5
    assert overlap.coverage((), [1]) == 1.0


def test_rank_takes_what_adds_most():
    """A text that adds nothing to those before it is not taken."""
    overlap = Overlap([("mill", "old"), ("mill",), ("dam",)])
    assert overlap.rank(("mill", "old", "dam"), range(3), 3) == (0, 2)
    assert overlap.rank(("mill", "dam"), range(3), 1) == (2,)
