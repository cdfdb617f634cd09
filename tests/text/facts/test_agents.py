"""What another person said or did."""

from __future__ import annotations

import pytest

from guardrail.text.facts import FactKind, compare, extract
from guardrail.text.facts.agents import judge_agents, read_persons

HEDGE = (
    "Ms. Farrow sued her neighbour Mr. Dunmore over a beech hedge.",
    "Mr. Dunmore filed an appeal on 11 October.",
    "The court will hear both of them in spring.",
)
MINUTES = (
    "Ms Bui (parents) said that a later start made sense only with early supervision from 7:15.",
    "Mr Ortmann (teaching staff) warned that afternoon lessons would end at 16:10.",
    "Mr Tulley: Then I move that the road be put on hold.",
)


def found(claim: str, sentences: tuple[str, ...]) -> list[tuple[str, str | None, float]]:
    mismatches = judge_agents(extract(claim), [extract(sentence) for sentence in sentences])
    return [(m.claim_value, m.evidence_value, m.weight) for m in mismatches]


@pytest.mark.parametrize(
    ("claim", "sentences", "said", "instead"),
    [
        ("Ms Farrow filed an appeal on 11 October.", HEDGE, "Farrow", "Dunmore"),
        ("Mr Ortmann argued that a later start made sense only with early supervision.", MINUTES, "Ortmann", "Bui"),
        ("It was Ms Bui who moved to put the road on hold.", MINUTES, "Bui", "Tulley"),
    ],
)
def test_the_deed_of_another_is_found(claim: str, sentences: tuple[str, ...], said: str, instead: str) -> None:
    assert found(claim, sentences) == [(said, instead, 1.0)]


@pytest.mark.parametrize(
    ("claim", "sentences"),
    [
        ("Mr Dunmore filed an appeal on 11 October.", HEDGE),
        ("Ms Farrow sued Mr Dunmore over a hedge.", HEDGE),
        ("Mr Dunmore, whom Ms Farrow sued, filed an appeal on 11 October.", HEDGE),  # both are in the claim
        ("Ms Quill filed an appeal on 11 October.", HEDGE),  # nowhere: a missing name, not a displaced one
        ("Ms Bui said that a later start made sense only with early supervision.", MINUTES),
        ("An appeal was filed on 11 October.", HEDGE),
        ("Ms Farrow moved to Spain.", HEDGE),  # no sentence is near enough to tell
        ("Abbot Hall filed an appeal on 11 October.", (*HEDGE, "Abbot Hall is a house.")),
        ("", HEDGE),
    ],
)
def test_other_claims_are_let_pass(claim: str, sentences: tuple[str, ...]) -> None:
    assert found(claim, sentences) == []


def test_compare_names_it_as_a_role() -> None:
    mismatches = compare(extract("Ms Farrow filed an appeal on 11 October."), [extract(s) for s in HEDGE])
    assert [(m.kind, m.contradicts) for m in mismatches] == [(FactKind.ROLE, True)]


def test_persons_have_a_title_or_two_names() -> None:
    text = "On Monday Noor Haddad told Dr. Whitlock that Sandhaven pays; Mr Kranz's team (Ms Krol) agreed."
    assert [(p.key, p.acts) for p in read_persons(text)] == [
        ("haddad", True),
        ("whitlock", False),
        ("kranz", False),
        ("krol", False),
    ]
