"""Numbers that follow from others, and how easily any number would."""

from __future__ import annotations

import pytest

from guardrail.text.facts import extract
from guardrail.text.facts.derivation import coincidence
from guardrail.text.facts.fact import Amount


def chance(claim: str, at: int = 0, *told: str) -> float:
    """Of the claim's number at that place, from all other numbers of claim and texts."""
    facts = [f for f in extract(claim).facts if isinstance(f.value, Amount)]
    rest = [f for f in extract(claim).counted if f.span != facts[at].span]
    known = [f.value for f in (*rest, *(f for text in told for f in extract(text).counted))]
    return coincidence(facts[at], claim, [value for value in known if isinstance(value, Amount)])


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("The Rowan saves you $610.", "It costs $2,190. At $2,800 it is not cheap."),
        ("You get €180.60 back.", "I drove 420 km. Each kilometre is paid with €0.43."),
        ("38 regular hours come to 912.00.", "The rate is 24.00 an hour."),
        ("That leaves €1,274.40.", "The list price is €1,416 and the discount 10%."),
        ("It comes to €96.50 in all.", "A seat costs €23.50. The base fee is €49.50. Two seats are needed."),
        ("You are owed €2,208 a year, both of you.", "Each month the fee is €92, in 12 instalments."),
        ("A dose is 187.5 mg.", "The syrup has 25 mg per ml. Give 7.5 ml."),
    ],
)
def test_what_can_be_worked_out_is_hardly_a_coincidence(claim: str, told: str) -> None:
    places = len([f for f in extract(claim).facts if isinstance(f.value, Amount)])
    assert chance(claim, places - 1, told) <= 0.2


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("You get €181.60 back.", "I drove 420 km. Each kilometre is paid with €0.43."),
        ("38 regular hours come to 921.00.", "The rate is 24.00 an hour."),
        ("It comes to €143.50 in all.", "Nothing is said of prices."),
        ("That leaves €1,247.40.", "The list price is €1,416 and the discount 10%."),
    ],
)
def test_what_does_not_follow_is_one(claim: str, told: str) -> None:
    places = len([f for f in extract(claim).facts if isinstance(f.value, Amount)])
    assert chance(claim, places - 1, told) == 1.0


def test_among_many_numbers_small_ones_follow_by_accident() -> None:
    many = " ".join(f"Part {n} costs {n} euros." for n in (2, 3, 4, 6, 7, 9, 11, 13))
    assert chance("You pay 5 euros.", 0, many) > 0.5
    assert chance("You pay 5 euros.", 0, "A ticket costs 3 euros and the bus 2 euros.") < 0.5


def test_a_number_does_not_follow_from_itself() -> None:
    assert chance("You pay €143.50.", 0, "The price was €143.50 before.") == 1.0


def test_names_with_numbers_are_nothing_to_compute() -> None:
    fact = next(f for f in extract("The Korvel 40 is quiet.").counted if isinstance(f.value, Amount))
    assert isinstance(fact.value, Amount)
    assert fact.value.label
    assert coincidence(fact, "The Korvel 40 is quiet.", [Amount(raw=20.0, base=20.0)]) == 1.0
