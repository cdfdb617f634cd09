"""Signs that a title, a table header or a fragment makes a claim."""

import pytest

from guardrail.check.decompose.predicates import header_claims, predicates, title_claims


@pytest.mark.parametrize(
    ("text", "has_verb"),
    [
        ("the mill burned down", True),
        ("kills dozens of people", True),
        ("admission free", True),
        ("the old mill", False),
        ("大坝倒塌", True),
    ],
)
def test_predicates(text, has_verb):
    assert predicates(text) is has_verb


@pytest.mark.parametrize(
    ("title", "claims"),
    [
        ("Opening hours", False),
        ("2. Results", False),
        ("History of the Eiffel Tower", False),
        ("Flood kills 41", True),
        ("The tower is tall", True),
        ("主要原因", False),
    ],
)
def test_titles(title, claims):
    assert title_claims(title) is claims


@pytest.mark.parametrize(
    ("titles", "claims"),
    [(("City", "Height"), False), (("The dam was built by NASA", "Note"), True), (("Free for all visitors.",), True)],
)
def test_headers(titles, claims):
    assert header_claims(titles) is claims
