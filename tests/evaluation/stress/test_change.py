"""Changes and the stretches that they make wrong."""

from __future__ import annotations

from guardrail.evaluation.stress.change import Source, like, replaced, swapped, whole
from guardrail.types import ErrorType, Span

KIND = ErrorType.CONTRADICTION


def test_the_new_words_are_the_wrong_part():
    change = replaced(KIND, "It has 84 steps.", 7, 9, "120")
    assert (change.text, change.spans[0].of(change.text)) == ("It has 120 steps.", "120")


def test_two_stretches_of_different_length_change_places():
    text = "Ann beat Beatrice."
    change = swapped(KIND, text, Span(0, 3), Span(9, 17))
    assert change.text == "Beatrice beat Ann."
    assert [span.of(change.text) for span in change.spans] == ["Beatrice", "Ann"]
    assert whole(KIND, "x.").spans == (Span(0, 2),)


def test_a_source_knows_names_numbers_and_small_words():
    source = Source("The hall has 1,200 seats.", ("It was Mara who paid.",))
    assert "1,200" in source.numbers
    assert "Mara" in source.names
    assert "hall" in source.small
    assert like("Some", "all") == "All"
