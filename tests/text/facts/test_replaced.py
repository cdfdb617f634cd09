"""A value in the place of another one: certain where the claim else repeats the sentence, silent where it may be right."""

import pytest

from guardrail.text.facts import extract
from guardrail.text.facts.replaced import SURE, replaced_values


def clashes(claim: str, *evidence: str) -> list[tuple[str, str | None]]:
    found = replaced_values(extract(claim), [extract(sentence) for sentence in evidence])
    assert all(m.weight == SURE and m.contradicts for m in found)
    return [(m.claim_value, m.evidence_value) for m in found]


WRONG = [
    ("The shop on Mill Lane closes at 9 pm.", "The shop on Mill Lane closes at 20:00.", ("9 pm.", "20:00")),
    ("The mill was rebuilt in 1998 after a fire.", "The mill was rebuilt in 1989 after a fire.", ("1998", "1989")),
    ("The yearly fee for members is €45.", "The yearly fee for members is €54, payable in March.", ("€45", "€54")),
    ("Jars must be boiled for ten minutes.", "All jars must be boiled for twenty minutes.", ("ten minutes", "twenty minutes")),
    ("The tank of the boiler holds 120 litres.", "The tank of the boiler holds 200 l.", ("120 litres", "200 l")),
    ("Turnover rose to 1.2 million euros last year.", "Turnover rose to 2.1 million euros last year.", ("1.2 million euros", "2.1 million euros")),
    ("Owners may let their home for up to 120 nights.", "Owners may let their home for up to 90 nights.", ("120 nights", "90 nights")),
    ("The lease ends on 3 May 2024 without notice.", "The lease ends on 30 May 2024 without notice.", ("3 May 2024", "30 May 2024")),
    ("滴眼液开封后须在六周内用完。", "滴眼液开封后须在四周内用完。", ("六周", "四周")),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "evidence", "values"), WRONG)
def test_a_replaced_value_is_certain(claim, evidence, values):
    assert values in clashes(claim, evidence)


def test_two_values_in_each_other_s_place():
    """Neither value is missing from the evidence."""
    evidence = "The pump is guaranteed for three years, all other parts for seven years."
    claim = "The pump is guaranteed for seven years, all other parts for three years."
    assert sorted(clashes(claim, evidence)) == [("seven years", "three years"), ("three years", "seven years")]


RIGHT = [
    ("The shop on Mill Lane closes at 8 pm.", "The shop on Mill Lane closes at 20:00."),
    ("A new parent gets eight more weeks.", "A new parent gets ten weeks."),
    ("A group of twelve guests eats for free.", "A group of at least ten guests eats for free."),
    ("Inspectors closed 107 flats in 2022.", "In 2024 inspectors closed 214 flats, twice as many as in 2022."),
    ("The lead result is 36 mg below the limit.", "The lead result is 64 mg, the limit 100 mg."),
    ("Parcels wait for seven days in a shop.", "Parcels wait in a locker for three days and in a shop for seven."),
    ("Women may donate every 16 weeks and men every 12.", "Men may donate every 12 weeks and women every 16."),
    ("The hall holds at least 100 people.", "The hall holds at least 150 people."),
    ("Two dogs sleep on the porch.", "One dog sleeps with another one on the porch."),
    ("The film was shown in May 2019 in Oslo.", "The film was shown on 12 May 2019 in Oslo."),
    ("The school opened in the 1990s near the lake.", "The school opened in 1994 near the lake."),
    ("The version 2.1 of the tool runs offline.", "The version 2.1 of the tool runs offline, 2.0 did not."),
]


@pytest.mark.parametrize(("claim", "evidence"), RIGHT)
def test_what_may_be_right_is_left_alone(claim, evidence):
    assert clashes(claim, evidence) == []


def test_passages_that_disagree():
    """A claim that one of them states is not refuted by the other."""
    assert (
        clashes("The mill was built in 1998.", "The mill was built in 1989.", "The old mill was built in 1998.") == []
    )
