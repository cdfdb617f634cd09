"""What a record says with yes, no or nothing stands against what a claim affirms or denies."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard, Verdict
from guardrail.text.facts import extract
from guardrail.text.records.flags import flag_clashes, keyed_line

ORDER = (("order id", "A-55"), ("gift wrap", "no"), ("insured", "yes"), ("delivered at", "not given"))
ROOMS = ((("room", "Alder"), ("balcony", "yes")), (("room", "Beech"), ("balcony", "no")))


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("The order is gift-wrapped.", "gift wrap: no"),
        ("The order is not insured.", "insured: yes"),
        ("The order was delivered.", "delivered at: not given"),
        ("The order is not gift-wrapped.", None),
        ("The order is insured.", None),
        ("The order has not been delivered yet.", None),
        ("Gift wrap is available.", None),
        ("The order will be delivered soon.", None),
        ("The order is uninsured or gift-wrapped.", None),
    ],
)
def test_one_record(claim: str, found: str | None) -> None:
    assert [m.evidence_value for m in flag_clashes(extract(claim), [ORDER])] == ([found] if found else [])


def test_of_several_records_the_claim_names_one() -> None:
    assert [m.evidence_value for m in flag_clashes(extract("The Beech room has a balcony."), ROOMS)] == ["balcony: no"]
    assert not list(flag_clashes(extract("The Alder room has a balcony."), ROOMS))
    assert not list(flag_clashes(extract("The room has a balcony."), ROOMS))


def test_lines_with_a_key() -> None:
    assert keyed_line("Pets: not allowed") == (("Pets", "not allowed"),)
    assert keyed_line("Pets: ask the owner") == ()


def test_the_guard_names_the_key() -> None:
    passage = json.dumps({"order": "A-55", "carrier": "Postline", "gift_wrap": False})
    finding = Guard().check("The order is gift-wrapped.", [passage]).findings[0]
    assert finding.verdict is Verdict.CONTRADICTED
    assert "gift wrap: no" in finding.reason
