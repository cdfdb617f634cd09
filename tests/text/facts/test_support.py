"""Whether the evidence supports a fact, and how sure the gate is if not."""

import pytest

from guardrail.text.facts import compare, extract


def weights(claim, *evidence):
    return [m.weight for m in compare(extract(claim), [extract(sentence) for sentence in evidence])]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The rest, 62 percent, went home.", "Of the guests, 38 percent stayed."),
        ("It lasts ten days.", "它持续到十日。"),
        ("The bus leaves at 8:10.", "The bus leaves at 08:10."),
        ("It opened in March.", "It opened on 3 March 2019."),
    ],
)
def test_stated_and_computed_values_are_supported(claim, evidence):
    assert weights(claim, evidence) == []


def test_a_number_beside_a_time_is_no_hour():
    train = "The tram to Thornmoor leaves at 7 am from stand 9."
    assert weights("The tram to Thornmoor leaves at 9:00 am.", train)
    assert not weights("The shop is open until 6 pm.", "The shop is open from 8 to 6.")


def test_a_value_in_the_same_place_weighs_most():
    """Another value there, no value there, and a mere example of a rule: each less sure than the one before."""
    (other,) = weights("The path is 5 km long.", "The path is 7 km long.")
    (absent,) = weights("The path, 5 km long, is old.", "The path is old.")
    (example,) = weights("An old laptop with 40 GB is too small.", "The programme needs at least 64 GB.")
    assert other > absent > example
