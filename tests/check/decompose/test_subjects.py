"""Whom or what a sentence is about."""

import pytest

from guardrail.check.decompose.subjects import Sort, asked_about, gender, subject_of


@pytest.mark.parametrize(
    ("sentence", "lang", "name", "sort"),
    [
        ("Marie Curie was a physicist.", "en", "Marie Curie", Sort.PERSON),
        ("The Eiffel Tower is tall.", "en", "the Eiffel Tower", Sort.THING),
        ("Marie and Pierre Curie were physicists.", "en", "Marie and Pierre Curie", Sort.MANY),
        ("Queen Victoria ruled long.", "en", "Queen Victoria", Sort.FEMALE),
        ("In 2008, Barack Obama was elected.", "en", "Barack Obama", Sort.UNKNOWN),
        ("鲁迅出生于绍兴。", "zh", "鲁迅", Sort.PERSON),
        ("华为公司成立于1987年。", "zh", "华为公司", Sort.THING),
    ],
)
def test_the_subject_of_a_sentence(sentence, lang, name, sort):
    found = subject_of(sentence, lang, None)
    assert found is not None
    assert (found.name, found.sort) == (name, sort)


@pytest.mark.parametrize(
    ("sentence", "lang"),
    [("It rained.", "en"), ("Mary's dog is big.", "en"), ("其中有很多人。", "zh"), ("Es regnet.", "de")],
)
def test_no_subject_is_guessed(sentence, lang):
    assert subject_of(sentence, lang, None) is None


def test_a_bare_surname_is_the_person_named_before():
    known = subject_of("Marie Curie was a physicist.", "en", None)
    again = subject_of("Curie was born in Warsaw.", "en", known)
    assert again is not None
    assert again.name == "Marie Curie"


def test_other_names_are_rivals_and_those_behind_by_agents():
    found = subject_of("The tower was built by Gustave Eiffel with Maurice Koechlin in Paris.", "en", None)
    assert found is not None
    assert found.agents == ("Gustave Eiffel",)
    assert set(found.rivals) == {"Gustave Eiffel", "Maurice Koechlin"}


def test_titles_and_kin_tell_the_gender():
    assert (gender("Mr. Hale"), gender("mother"), gender("Kim Hale")) == (Sort.MALE, Sort.FEMALE, Sort.UNKNOWN)


def test_the_one_name_of_a_question_is_its_subject():
    assert asked_about(None, "en") is None
    assert asked_about("Did Bob Smith meet Ann Jones?", "en") is None
    found = asked_about("Who is Dick Hanley?", "en")
    assert found is not None
    assert found.name == "Dick Hanley"
