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
        ("Ms Farrow filed an appeal on 11 October.", HEDGE, "Ms Farrow", "Mr. Dunmore"),
        (
            "Mr Ortmann argued that a later start made sense only with early supervision.",
            MINUTES,
            "Mr Ortmann",
            "Ms Bui",
        ),
        ("It was Ms Bui who moved to put the road on hold.", MINUTES, "Ms Bui", "Mr Tulley"),
    ],
)
def test_the_deed_of_another_is_found(claim: str, sentences: tuple[str, ...], said: str, instead: str) -> None:
    assert found(claim, sentences) == [(said, instead, 0.9)]


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


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        (  # two agree
            "Dr Osei said that the vaccine is safe for children over five.",
            "Dr Osei took part in the panel.|Dr Lang said that the vaccine is safe for children over five.|Dr Osei shared this.",
        ),
        (
            "Tom Hale said the ladders would be fitted by June.",
            '"They will be fitted," Tom Hale told us.|Jane Moss said the ladders would be fitted by June, too.',
        ),
        (  # a first name, a pronoun
            "Anna Berg opened the café on Plaza Mayor in 1998.",
            "Anna Berg grew up in Ribe.|Peter Lund recalls how Anna opened the café on Plaza Mayor in 1998.",
        ),
        (
            "James Okoro founded the shelter for street dogs in 2011.",
            "James Okoro is a vet.|Mr Lund says he met the vet when he founded the shelter for street dogs in 2011.",
        ),
        (  # another act: reported, or suffered
            "Anna Berg resigned from the board on Friday.",
            "Anna Berg chaired the board.|Peter Lund said the chair resigned from the board on Friday.",
        ),
        (
            "Anna Berg defeated the mayor in the election of 2019.",
            "Anna Berg stood for the party.|Peter Lund was defeated in the election of 2019 as mayor.",
        ),
        (  # labels, not people
            "Opening Hours: daily from 9 am to 5 pm, in winter from 10 am.",
            "Opening Hours may change.|Last Entry: daily one hour before closing, in winter daily tours from 10 am to 5 pm.",
        ),
        (  # another language
            "Frau Berg sagt, dass die Buslinie 7 ab Mai bis zum Hafen fährt.",
            "Frau Berg ist da.|Mr Lund says that die Buslinie 7 ab Mai bis zum Hafen fährt.",
        ),
    ],
)
def test_right_claims_about_two_people_are_let_pass(claim: str, passage: str) -> None:
    assert found(claim, tuple(passage.split("|"))) == []


def test_compare_names_it_as_a_role() -> None:
    mismatches = compare(extract("Ms Farrow filed an appeal on 11 October."), [extract(s) for s in HEDGE])
    assert [(m.kind, m.contradicts) for m in mismatches] == [(FactKind.ROLE, True)]


def test_persons_have_a_title_or_two_names() -> None:
    text = "On Monday Noor Haddad told Dr. Whitlock that Abbot Hall pays; Mr Kranz's team (Ms Krol: yes) agreed."
    assert [(p.key, p.act) for p in read_persons(text)] == [
        ("haddad", "told"),
        ("whitlock", ""),
        ("kranz", ""),
        ("krol", ":"),
    ]


def test_long_runs_of_capitals_are_read_in_linear_time() -> None:
    assert read_persons("Aa'" * 20_000) == ()
