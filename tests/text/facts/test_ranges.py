"""Dates and times within a stretch of time that the evidence states, and outside of it."""

import pytest

from guardrail.text.facts import compare, extract

MAYOR = "Tobias Calloway became mayor of Maplelow in 1917 and stepped down in 1987."
OPERA = "Season of the Alderhurst opera house: November to February."
BAR = "The bar at the harbour is open from 22:00 to 6:00."


@pytest.mark.parametrize(
    ("claim", "evidence", "clash"),
    [
        ("In 1969 Tobias Calloway was mayor of Maplelow.", MAYOR, False),
        ("In 1995 Tobias Calloway was mayor of Maplelow.", MAYOR, True),
        ("In 1995 Tobias Calloway was no longer mayor of Maplelow.", MAYOR, False),
        ("In 1969 Tobias Calloway was not mayor of Maplelow.", MAYOR, True),
        ("In January the Alderhurst opera house is open for its season.", OPERA, False),
        ("In May the Alderhurst opera house is open for its season.", OPERA, True),
        ("At 1:30 am the bar at the harbour is open.", BAR, False),
    ],
)
def test_an_instance_of_a_range_is_no_clash(claim, evidence, clash):
    found = [m for m in compare(extract(claim), [extract(evidence)]) if m.kind == "date"]
    assert any(m.weight > 0.2 for m in found) is clash


def test_a_range_of_the_claim_is_compared_end_by_end():
    claim = "Tobias Calloway was mayor of Maplelow from 1920 to 1980."
    assert [m.evidence_value for m in compare(extract(claim), [extract(MAYOR)]) if m.contradicts]
