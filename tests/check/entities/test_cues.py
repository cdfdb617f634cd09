"""What tells a reader that somebody else is spoken of now."""

from __future__ import annotations

import pytest

from guardrail.check.entities import cues

NAMES = ["Dick Hanley"]


@pytest.mark.parametrize(
    ("text", "announces", "another", "ordinal"),
    [
        ("There are two people named Dick Hanley.", True, False, None),
        ("Another Dick Hanley was a swimmer.", False, True, None),
        ("The second is a swimmer.", False, False, 1),
        ("Another achievement was his silver.", False, False, None),
        ("One of his pupils won.", False, False, None),
        ("Dick Hanley was a coach.", False, False, None),
        ("另有一位同名的画家。", False, True, None),
    ],
)
def test_another(text: str, announces: bool, another: bool, ordinal: int | None) -> None:
    """People, not things, begin a new account."""
    found = cues.read(text, "", NAMES)
    assert (found.announces, found.another, found.ordinal) == (announces, another, ordinal)


def test_introduction() -> None:
    """Parenthesis, birth year, occupation and list marker of an introduction."""
    found = cues.read("1. Dick Hanley (swimmer), born in 1936, was a swimmer.", "", NAMES)
    assert found.listed
    assert found.opens
    assert found.described
    assert found.tag == "swimmer"
    dated = cues.read("Dick Hanley (born 1894) was a coach.", "", NAMES)
    assert (dated.tag, dated.born, dated.roles) == ("", "1894", frozenset())


def test_mere_mention() -> None:
    """A name inside a sentence introduces nobody."""
    found = cues.read("In 1936 the city honoured Dick Hanley.", "", NAMES)
    assert found.mention is not None
    assert not found.opens
    assert not found.described
