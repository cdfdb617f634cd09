"""Who does it to whom, where one side is in the passive."""

import pytest

from guardrail.text.facts import extract
from guardrail.text.facts.fact import EXACT, FactKind
from guardrail.text.facts.gate import compare
from guardrail.text.facts.voice import judge_voice


def turned(claim, *sentences):
    return [m.claim_value for m in judge_voice(extract(claim), [extract(s) for s in sentences])]


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The heron was chased by a grey cat.", "At dawn a grey cat chased the heron."),
        ("The council will be sued by the brewery.", "The brewery will sue the council."),
        ("Ines Kade hired Tomas Riedl.", "Tomas Riedl was hired by Ines Kade."),
        ("The museum was founded by the city.", "The city museum founded a school."),
        ("The harbour was fined by the shipping line.", "The shipping line was late, and the harbour fell."),
    ],
)
def test_a_change_of_voice_is_no_exchange(claim, passage):
    assert turned(claim, passage) == []


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("A grey cat was chased by the heron.", "At dawn a grey cat chased the heron."),
        ("In 2019 Ostwind bought the Arler Group.", "Ostwind was bought in 2019 by the Arler Group."),
        ("The brewery had been sued by the council.", "The brewery sued the council over the noise."),
        ("The snails on the lettuce are eaten by beetles.", "Snails eat the beetles that live on the lettuce."),
    ],
)
def test_sides_that_have_changed_places_are_found(claim, passage):
    [found] = compare(extract(claim), [extract(passage)])
    assert (found.kind, found.weight, found.contradicts) == (FactKind.ROLE, EXACT, True)
    assert found.span.of(claim) in claim.rstrip(".")


@pytest.mark.parametrize(
    ("claim", "passages"),
    [
        ("Varn was beaten by Holt.", ("Varn beat Holt in May.", "Holt beat Varn in June.")),
        ("Varn was not beaten by Holt.", ("Varn beat Holt in May.",)),
        ("Varn was accompanied by Holt.", ("Varn accompanied Holt to the fair.",)),
        ("The line is charged by the minute.", ("The line charges the minute.",)),
        ("The stage was designed by Vera Holm.", ("Stage design: Vera Holm, the composer's sister.",)),
        ("The ropes were tested by Dr Oyar.", ("Rope tester: Dr Oyar.",)),
        ("The bank was sold by the family.", ("The bank sold the family silver.",)),
        ("Claims are reviewed by the board.", ("Appeals go to the claims review board in writing.",)),
        ("The food is delivered by the driver.", ("Tips go to the food delivery driver.",)),
        ("The study was cited by the council.", ("The council quoted a 2019 study of the city council.",)),
        ("Holt was beaten by Varn in June.", ("Holt beat Varn in May but was beaten by Varn in June.",)),
        ("In June Holt was beaten by Varn.", ("Holt beat Varn in May.", "In June he lost to Varn.")),
        ("The client is checked by the server.", ("The client checks the server and vice versa.",)),
        ("The clerk is rated by the manager.", ("The manager rates the clerk.", "Clerks do the same.")),
        ("Varn was attacked by Holt.", ("Supporters of Varn attacked Holt.", "Holt called Varn a liar.")),
        ("The landlord is paid by the agent.", ("The firm was told by the landlord to pay the agent.",)),
        ("Holt was beaten by Varn.", ("Never did Holt beat Varn, who won all nine matches.",)),
        ("The bill was passed by the Senate.", ("The bill passed the Senate 52 to 48 in March.",)),
    ],
    ids=[
        "both ways",
        "denied",
        "mutual",
        "measure",
        "noun",
        "doer",
        "compound",
        "compound of three",
        "stem of another word",
        "noun behind a preposition",
        "both ways in one sentence",
        "another time in other words",
        "vice versa",
        "the same",
        "of a supporter",
        "infinitive",
        "never",
        "either order",
    ],
)
def test_it_is_silent_where_the_sides_are_not_plain(claim, passages):
    assert turned(claim, *passages) == []
