"""What a text tells, word by word."""

import pytest

from guardrail.text.wording import leaves_out, negations, signs, words


def test_words_leave_out_what_only_leads_over():
    assert words("Furthermore, the mill is old.") == words("The mill is old.")
    assert "IT" in words("The IT office")


@pytest.mark.parametrize(
    ("text", "count"), [("It can't and won't open.", 2), ("It is open.", 0), ("不开放", 1), ("It is only open.", 0)]
)
def test_negations_are_counted(text, count):
    assert negations(text) == count


def test_signs_tell_how_much_is_claimed():
    assert signs("All mills may open, but not all dams.") == {"all": 2, "may": 1, "not": 1}


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("The mill is old and red.", False),
        ("The mill is red.", True),
        ("The mill is not old and red.", False),
    ],
)
def test_what_a_rewording_leaves_out(text, lost):
    assert leaves_out(text, "The mill is old and red.") is lost
