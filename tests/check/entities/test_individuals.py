"""Which individual each passage describes, and which share a name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.check.entities import cluster, individuals
from tests.support.namesakes import HANLEYS, MIXED, NAMESAKES, ORDINARY, PASSAGES, analyse, pages


@pytest.mark.parametrize("name", NAMESAKES)
def test_namesakes_are_told_apart(name):
    """Different individuals of one name are two entities that share it."""
    entities = cluster(NAMESAKES[name])
    assert [entity.shares_name for entity in entities] == [True, True]


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_passages_share_no_name(name):
    """Documents about one subject, or about subjects with other names, are not namesakes."""
    assert not any(entity.shares_name for entity in cluster(ORDINARY[name]))


def test_same_title_is_one_individual():
    """Chunks of one page stay together, also those that do not introduce anybody."""
    passages = pages(
        *((page.title, page.text) for page in HANLEYS), ("Dick Hanley (swimmer)", "In 1957 he moved to Ohio.")
    )
    assert [entity.passages for entity in cluster(passages)] == [(0,), (1, 2)]


def test_namesakes_under_one_title_get_titles_that_differ():
    """A Mix between the two must name them so that a reader sees which is which."""
    assert [one.title for one in cluster(NAMESAKES["equal titles, birth years"])] == [
        "Dick Hanley (born 1894)",
        "Dick Hanley (born 1936)",
    ]
    assert [one.title for one in cluster(NAMESAKES["chinese, no titles"])] == [
        "陆文启（1931年生）",
        "陆文启（1962年生）",
    ]
    assert [one.title for one in cluster(NAMESAKES["titled another"])] == ["Jo Cook", "Jo Cook (another)"]
    _, _, mixes = analyse(NAMESAKES["equal titles, birth years"], MIXED)
    assert [(mix.linked.title, mix.other.title) for mix in mixes] == [
        ("Dick Hanley (born 1894)", "Dick Hanley (born 1936)")
    ]


def test_undated_passages_stay_with_the_one_who_is_dated():
    """Only the passage that says "another" is of somebody else."""
    found = cluster(
        pages(
            ("Jo Cook", "Jo Cook (born 1954) is a politician."),
            ("Jo Cook", "Jo Cook is a chemist."),
            ("Jo Cook", "Another Jo Cook is a nurse."),
        )
    )
    assert [one.passages for one in found] == [(0, 1), (2,)]


def test_a_true_answer_about_one_person_is_not_mixed():
    """Two passages of one title and two occupations are no namesakes."""
    texts = ["Angela Merkel is a German politician.", "She was a research chemist in Berlin until 1990."]
    assert analyse(ORDINARY["one title, two occupations"], texts)[2] == ()


@settings(max_examples=150, deadline=None)
@given(PASSAGES, st.randoms(use_true_random=False))
def test_order_of_passages_does_not_matter(passages, dice):
    """Shuffled passages give the same sets, and the same of them share names."""
    order = list(range(len(passages)))
    dice.shuffle(order)
    shuffled = cluster([passages[n] for n in order])
    found = {(frozenset(entity.passages), entity.shares_name) for entity in cluster(passages)}
    assert {(frozenset(order[n] for n in entity.passages), entity.shares_name) for entity in shuffled} == found


def test_two_thousand_passages_are_compared_by_name_only(monkeypatch):
    """Half of them one name's, which is the worst case for comparing: far fewer pairs than passages squared."""
    compared = []
    are_namesakes = individuals._namesakes
    monkeypatch.setattr(individuals, "_namesakes", lambda *pair: compared.append(1) or are_namesakes(*pair))
    rows = [(f"Dick Hanley (born {1000 + n})", f"Dick Hanley (born {1000 + n}) is a swimmer.") for n in range(500)]
    rows += [(None, f"Ann Reed (born {1500 + n % 400}) is a teacher.") for n in range(500)]
    rows += [(f"Topic {n}", "The leave is 18 weeks long and paid in full.") for n in range(1000)]
    assert len(cluster(pages(*rows))) > 1000
    assert len(compared) < 10 * len(rows)
