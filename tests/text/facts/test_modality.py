"""May, must, need not, must not: another force for the same deed."""

import pytest

from guardrail.text.facts import EXACT, FactKind, compare, extract
from guardrail.text.facts.modality import Force, read_modals


def forces(claim: str, *evidence: str) -> list[tuple[str, str | None]]:
    mismatches = compare(extract(claim), [extract(sentence) for sentence in evidence])
    found = [m for m in mismatches if m.kind is FactKind.FORCE]
    assert all(m.weight == EXACT and m.contradicts for m in found)
    return [(m.claim_value, m.evidence_value) for m in found]


def test_modals_are_read_with_their_deeds():
    modals = read_modals("Guests may park in the yard; staff must not, and they have to pay.")
    assert [(m.force, m.span.of("Guests may park in the yard")) for m in modals[:1]] == [(Force.MAY, "may")]
    assert [m.force for m in modals] == [Force.MAY, Force.MUST_NOT, Force.MUST]


@pytest.mark.parametrize(
    ("claim", "evidence", "said"),
    [
        ("The tenant must paint the doors.", "The tenant may paint the doors.", ("“must”", "“may”")),
        ("Staff do not have to wear a badge.", "Staff must wear a badge.", ("“do not have to”", "“must”")),
        ("Visitors may feed the deer.", "Visitors must not feed the deer.", ("“may”", "“must not”")),
        ("Pupils must bring a towel.", "Pupils should bring a towel.", ("“must”", "“should”")),
        ("Guests may sign the book.", "Guests are required to sign the book.", ("“may”", "“are required to”")),
        ("The firm must pay the tax.", "The firm need not pay the tax.", ("“must”", "“need not”")),
    ],
)
def test_another_force_is_a_clash(claim: str, evidence: str, said: tuple[str, str]):
    assert forces(claim, evidence) == [said]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The tenant is allowed to paint the doors.", "The tenant may paint the doors."),
        ("The tenant has to paint the doors.", "The tenant must paint the doors."),
        ("The tenant must pay the rent.", "The tenant will pay the rent."),
        ("The tenant must ask for consent to plough the field.", "The field may be ploughed only with consent."),
        ("Guests can swim.", "Guests must swim."),
        ("Guests need to swim.", "In May guests swim."),
        ("Instructors must use the tablet.", "They may use paper; instructors must use the tablet."),
        ("Guests may park in the yard.", "Guests must register in the yard."),
        ("The drug may not work.", "The drug must not work loose."),
    ],
)
def test_the_same_force_and_other_deeds_stay_silent(claim: str, evidence: str):
    assert forces(claim, evidence) == []


def test_another_sentence_with_the_force_of_the_claim_settles_it():
    claim, first = "The tenant must paint the doors.", "The tenant may paint the doors."
    assert forces(claim, first, "After ten years the tenant must paint the doors.") == []
