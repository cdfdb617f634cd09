"""Values of a case that an answer makes up are its own; abroad, where the judge shows the limit that they keep."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.made_up_cases import case_of, lies_within

LOSS = [
    "Auf eine Kürzung wird bei Schäden bis 10.000 Euro verzichtet. Steigt der Preis um mehr als 20 Prozent, gilt er nicht."
]
DOGS = ["Los perros de más de 10 kg solo se admiten con bozal. El abono cuesta hasta 30 euros."]
TRIP = ["Les groupes de plus de 12 personnes paient moins. Bagages : jusqu'à 20 kg."]


@pytest.mark.parametrize(
    ("value", "said", "link", "texts"),
    [
        ("8.000 Euro", "Bei einem Schaden von 8.000 Euro kürzt sie nicht.", "Schäden bis 10.000 Euro", LOSS),
        ("25", "Klettert der Preis um 25 Prozent, kann man verhandeln.", "Steigt um mehr als 20 Prozent", LOSS),
        ("25 kg", "Un perro de 25 kg solo puede viajar con bozal.", "perros de más de 10 kg", DOGS),
        ("15", "Un groupe de 15 personnes peut payer moins.", "groupes de plus de 12 personnes", TRIP),
        ("18 kg", "Une valise de 18 kg peut monter.", "jusqu'à 20 kg", TRIP),
    ],
)
def test_a_made_up_case_keeps_a_limit_of_a_document(value, said, link, texts):
    assert lies_within(value, said, [(f"Fall von {value}", link)], texts)
    assert lies_within(value, said, [(link, f"Fall von {value}")], texts)


@pytest.mark.parametrize(
    ("value", "said", "link", "texts"),
    [
        ("12.000 Euro", "Bei einem Schaden von 12.000 Euro kürzt sie nicht.", "Schäden bis 10.000 Euro", LOSS),
        ("8.000 Euro", "Der Schaden von 8.000 Euro wird nicht gekürzt.", "Schäden bis 10.000 Euro", LOSS),  # a fact
        ("8 kg", "Un perro de 8 kg solo puede viajar con bozal.", "perros de más de 10 kg", DOGS),
        ("25 kg", "Un perro de 25 kg solo puede viajar con bozal.", "perros de más de 20 kg", DOGS),  # not said
        ("25 kg", "Un perro de 25 kg solo puede viajar con bozal.", "perros de más de 1", DOGS),  # of "10 kg"
        ("25 kg", "Un perro de 25 kg solo puede viajar con bozal.", "hasta 30 euros", DOGS),  # of something else
        ("25 kg", "Un perro solo puede viajar con bozal de 25 kg.", "perros de más de 10 kg", DOGS),  # behind the verb
        ("25 kg", "Un perro de 25 kg solo puede viajar con bozal.", "perros grandes", DOGS),
        ("perro", "Un perro de 25 kg solo puede viajar con bozal.", "perros de más de 10 kg", DOGS),
        ("500 euros", "Una multa de 500 euros puede imponerse.", "hasta 3.000 euros", ["hasta 3.000 euros"]),  # a rule
        ("500 Euro", "Eine Kaution von 500 Euro muss hinterlegt werden.", "bis 1.000 Euro", ["bis 1.000 Euro"]),
        ("3 jours", "Un congé de 3 jours peut être demandé.", "jusqu'à 10 jours", ["jusqu'à 10 jours"]),
        ("10.000 Euro", "Bei einem Schaden von 10.000 Euro gilt es.", "unter 10.000 Euro", ["unter 10.000 Euro"]),
        ("18 Jahre", "Wer 18 Jahre alt ist, darf fahren.", "über 18 Jahre", ["Personen über 18 Jahre"]),
        ("8", "Wer 18 Jahre alt ist, kann fahren.", "unter 10 Jahren", ["unter 10 Jahren"]),  # no number of its own
        ("20", "Wer 20 Punkte hat, darf fahren.", "mehr als 5 Euro", ["mehr als 5 Euro"]),
        ("8.000 Euro", "Bei einem Schaden von 8.000 Euro gilt es.", "nicht bis 10.000 Euro", ["nicht bis 10.000 Euro"]),
    ],
)
def test_others_do_not(value, said, link, texts):
    assert not lies_within(value, said, [(f"Fall von {value}", link)], texts)
    assert not lies_within(value, said, [("algo", link)], texts)


def test_a_made_up_case_ends_at_its_verb():
    assert case_of("an applicant who earns 3,000 would not qualify.") == "an applicant who earns 3,000 "
    assert case_of("a deposit of 500 eur must be paid.") == ""
