"""What holds throughout a range holds within it, and nothing else does."""

import pytest

from guardrail import Guard
from guardrail.facts import compare, extract, widened

WALKWAY = "The walkway is open from 9:00 to 17:00 between April and October."
MUSEUM = "The museum is open Monday to Friday."
LIFT = "The ski lift runs from November to March."
BAR = "The bar is open from 22:00 to 6:00."
SHOP = "The shop is open 9:00-5:00."
FISHING = "Fishing is allowed from 1 May to 15 September."

WITHIN = [
    ("The walkway is open in July.", WALKWAY, "The walkway is open between April and October."),
    ("The walkway is open at 10:00.", WALKWAY, "The walkway is open from 9:00 to 17:00."),
    ("At 4 pm the walkway is open.", WALKWAY, "from 9:00 to 17:00 the walkway is open."),
    ("The museum is open on Wednesday.", MUSEUM, "The museum is open Monday to Friday."),
    ("The ski lift runs in January.", LIFT, "The ski lift runs from November to March."),
    ("The bar is open at midnight.", BAR, "The bar is open from 22:00 to 6:00."),
    ("The shop is open at 3:00.", SHOP, "The shop is open 9:00-5:00."),
    ("Fishing is allowed on 10 September.", FISHING, "Fishing is allowed from 1 May to 15 September."),
    ("步道七月开放。", "步道四月至十月开放。", "步道四月至十月开放。"),
]
OUTSIDE = [
    ("The walkway is open in December.", WALKWAY),
    ("The walkway is open at 18:00.", WALKWAY),
    ("The museum is open on Sunday.", MUSEUM),
    ("The ski lift runs in July.", LIFT),
    ("The bar is open at noon.", BAR),
    ("Fishing is allowed on 20 September.", FISHING),
    ("步道十二月开放。", "步道四月至十月开放。"),
]
OTHERWISE = [
    pytest.param("The walkway opens in May.", WALKWAY, id="an edge by its verb"),
    pytest.param("The walkway is open until 16:00.", WALKWAY, id="an edge by its preposition"),
    pytest.param("The walkway is only open in July.", WALKWAY, id="no other month"),
    pytest.param("The accident was at 10:00.", "The accident was from 9:00 to 17:00.", id="happened once"),
    pytest.param("The walkway is closed in July.", WALKWAY, id="said of another thing"),
    pytest.param("The museum is open in July.", "It is open in April and October.", id="two months, no range"),
    pytest.param("It was open in 1960.", "It was open from 1958 to 1963.", id="years"),
    pytest.param("Tickets are available for 15 euros.", "They are available for 10 to 20 euros.", id="amounts"),
]


@pytest.mark.parametrize(("claim", "evidence", "said"), WITHIN)
def test_a_moment_within_clashes_with_nothing_and_is_read_as_the_range(claim, evidence, said):
    assert compare(extract(claim), [extract(evidence)]) == ()
    assert widened(extract(claim), [extract("Dogs are welcome."), extract(evidence)]) == said


@pytest.mark.parametrize(("claim", "evidence"), OUTSIDE)
def test_a_moment_outside_clashes_as_ever(claim, evidence):
    assert [m.contradicts for m in compare(extract(claim), [extract(evidence)])] == [True]
    assert widened(extract(claim), [extract(evidence)]) == claim


@pytest.mark.parametrize(("claim", "evidence"), OTHERWISE)
def test_what_is_no_instance_of_the_range_stays_as_it_is(claim, evidence):
    assert widened(extract(claim), [extract(evidence)]) == claim


def test_several_moments_are_not_read_as_one_range():
    claim = "The walkway is open in May and June."
    assert widened(extract(claim), [extract(WALKWAY)]) == claim


@pytest.mark.parametrize("claim", ["The walkway is open in July.", "Yes, the walkway is open at 10:00."])
def test_the_local_engine_supports_an_instance(claim):
    (finding,) = Guard().check(claim, [f"{WALKWAY} Tickets cost 8 euros."]).findings
    assert (finding.verdict, finding.text) == ("supported", claim)


@pytest.mark.parametrize("claim", ["The walkway is open in December.", "The walkway is not open in July."])
def test_the_local_engine_objects_to_what_is_none(claim):
    (finding,) = Guard().check(claim, [f"{WALKWAY} Tickets cost 8 euros."]).findings
    assert finding.verdict == "contradicted"
