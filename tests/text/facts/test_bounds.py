"""Numbers against bounds: what lies beyond one is told, what lies within it is left alone."""

import pytest

from guardrail.text.facts import extract
from guardrail.text.facts.bounds import bound_clashes

WRONG = [
    ("Members of the club may order 15 bottles.", "Members of the club may order up to 12 bottles."),
    ("The crew must count at least 5 sailors.", "The crew must count at most 5 sailors."),
    ("The sound effect was strongest at thirty metres.", "The sound effect was strongest within five metres."),
]


@pytest.mark.parametrize(("claim", "evidence"), WRONG)
def test_beyond_the_bound(claim, evidence):
    (found,) = bound_clashes(extract(claim), [extract(evidence)])
    assert found.contradicts


RIGHT = [
    ("Members of the club may order 10 bottles.", "Members of the club may order up to 12 bottles."),
    ("Members of the club may not order 15 bottles.", "Members of the club may order up to 12 bottles."),
    ("The crew must count at least 5 sailors.", "The crew must count at least 5 sailors."),
    ("Guests of the club may order 15 bottles.", "Members of the club may order up to 12 bottles."),
]


@pytest.mark.parametrize(("claim", "evidence"), RIGHT)
def test_within_the_bound_or_another_thing(claim, evidence):
    assert bound_clashes(extract(claim), [extract(evidence)]) == []
