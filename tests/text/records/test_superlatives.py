"""A superlative belongs to the row that the column says, unless the claim limits it."""

from __future__ import annotations

import pytest

from guardrail.text.facts import extract
from guardrail.text.records.superlatives import superlative_clashes

PLANS = (
    (("Plan", "Start"), ("Data", "10 GB"), ("Price", "€9.99"), ("Since", "2021")),
    (("Plan", "Move"), ("Data", "40 GB"), ("Price", "€17.99"), ("Since", "2021")),
    (("Plan", "Max"), ("Data", "80 GB"), ("Price", "€34.99"), ("Since", "2024")),
)


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("Move is the cheapest plan.", "Start: €9.99"),
        ("The most expensive plan is Move.", "Max: €34.99"),
        ("The Start plan has the most data.", "Max: 80 GB"),
        ("Start is the cheapest plan.", None),
        ("Move is the cheapest plan with 40 GB.", None),
        ("Move is the second cheapest plan.", None),
        ("Move is not the cheapest plan.", None),
        ("Move and Max are the cheapest plans.", None),
        ("Move is the best plan.", None),
        ("Turbo is the cheapest plan.", None),
    ],
)
def test_superlatives(claim: str, found: str | None) -> None:
    assert [m.evidence_value for m in superlative_clashes(extract(claim), [PLANS])] == ([found] if found else [])


def test_ties_are_no_clash() -> None:
    tied = tuple((("Plan", name), ("Price", price)) for name, price in (("A1", "€5"), ("Bo", "€5"), ("Cy", "€9")))
    assert not list(superlative_clashes(extract("Bo is the cheapest plan."), [tied]))
