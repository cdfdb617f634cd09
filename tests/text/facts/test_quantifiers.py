"""How many and how often: stronger claims than the evidence are told, weaker ones are left alone."""

import pytest

from guardrail.text.facts import extract
from guardrail.text.facts.quantifiers import quantifier_clashes

WRONG = [
    ("All terraces yielded wine in the dry summer.", "Most terraces yielded wine in the dry summer.", False),
    ("Every user rejected the plastic limbs.", "Some users rejected the plastic limbs.", False),
    ("No users rejected the plastic limbs.", "Some users rejected the plastic limbs.", True),
]


@pytest.mark.parametrize(("claim", "evidence", "contradicts"), WRONG)
def test_more_than_the_evidence_says(claim, evidence, contradicts):
    (found,) = quantifier_clashes(extract(claim), [extract(evidence)])
    assert found.contradicts is contradicts


RIGHT = [
    ("Some terraces yielded wine in the dry summer.", "All terraces yielded wine in the dry summer."),
    ("Most users rejected the plastic limbs.", "Every user rejected the plastic limbs."),
    ("All users rejected the plastic limbs.", "All users but some experts rejected the plastic limbs."),
    ("All users rejected the plastic limbs.", "Some doctors heard that the users rejected the plastic limbs."),
]


@pytest.mark.parametrize(("claim", "evidence"), RIGHT)
def test_what_follows_is_left_alone(claim, evidence):
    assert quantifier_clashes(extract(claim), [extract(evidence)]) == []
