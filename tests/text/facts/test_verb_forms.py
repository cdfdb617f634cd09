"""One key for all inflections of a word."""

import pytest

from guardrail.text.facts.verb_forms import base, may_be_past


@pytest.mark.parametrize(
    "forms",
    [
        "sell sold selling sells",
        "plan planned planning",
        "close closed closing",
        "deny denied denies",
        "win won winning",
    ],
)
def test_inflections_share_a_key(forms: str):
    assert len({base(form) for form in forms.split()}) == 1


def test_other_words_have_other_keys():
    assert len({base(form) for form in "sell tell close open plan play".split()}) == 6


def test_past_forms():
    assert may_be_past("sold")
    assert may_be_past("closed")
    assert not may_be_past("red")
    assert not may_be_past("sells")
