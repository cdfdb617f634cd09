"""Parts of a title, and whether two names can be spoken as one."""

from __future__ import annotations

import pytest

from guardrail.check.entities.names import (
    birth_year,
    bucket_keys,
    kind_of,
    looks_personal,
    may_be_same_name,
    name_key,
    roles,
    same_name,
    split_title,
)


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("Dick Hanley (swimmer)", ("Dick Hanley", "swimmer")),
        ("György Major (1818–1883)", ("György Major", "1818–1883")),
        ("William Byron, 3rd Baron Byron", ("William Byron", "3rd Baron Byron")),
        ("Travel Policy (part 1)", ("Travel Policy", "")),
        ("Travel Policy (2019–2021)", ("Travel Policy", "")),
        ("年假制度（上）", ("年假制度", "")),
        ("Paris", ("Paris", "")),
    ],
)
def test_split_title(title: str, parts: tuple[str, str]) -> None:
    """A parenthesis counts where it tells the bearer from others."""
    assert split_title(title) == parts


@pytest.mark.parametrize(
    ("text", "year"),
    [("born 14 May 1983", "1983"), ("1894 - 1970", "1894"), ("1927 to 1934", ""), ("1962年—", "1962"), ("coach", "")],
)
def test_birth_year(text: str, year: str) -> None:
    """A year of birth, not of a term or a season."""
    assert birth_year(text) == year


@pytest.mark.parametrize(
    ("one", "other", "same", "may_be"),
    [
        ("Dick Hanley", "Richard E. Hanley", True, True),
        ("Dr. Jeff Clarke", "Geoffrey Clark", True, True),
        ("Dave Cook", "David Cook", True, True),
        ("Sheila Jackson", "Sheila Jackson Lee", False, True),
        ("Victor Cruz", "Victoria Cruz", False, False),
        ("New York", "New York Times", False, True),
        ("陆文启", "陆文启", True, True),
    ],
)
def test_same_names(one: str, other: str, same: bool, may_be: bool) -> None:
    """Short forms, initials and spellings of one person's name; namesakes always share a bucket."""
    assert same_name(one, other) is same_name(other, one) is same
    assert may_be_same_name(one, other) is may_be_same_name(other, one) is may_be
    assert not same or bucket_keys(one) & bucket_keys(other)


def test_roles_and_kinds() -> None:
    """Fields of occupations; a document's parenthesis names no kind."""
    assert roles("a Flemish politician and poets") == {"state", "letters"}
    assert kind_of("swimmer", "Jo Cook") == {"swim"}
    assert kind_of("resume", "Jo Cook") is None
    assert kind_of("film", "Dune") == {"screen"}
    assert kind_of("nurses", "Parental leave") is None


def test_name_keys() -> None:
    """Accents, honorifics and generations do not count."""
    assert name_key("Sir José Núñez Jr.") == ("jose", "nunez")
    assert looks_personal("Ludwig van Beethoven")
    assert not looks_personal("iPhone 12")
