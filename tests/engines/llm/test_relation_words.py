"""Which words of a segment are judged apart from its points."""

from __future__ import annotations

import pytest

from guardrail.check.logic import find_relations
from guardrail.engines.llm.relation_words import tie_words
from guardrail.types import Claim, Segment, Span


def segment(text: str, *points: str) -> Segment:
    claims = tuple(Claim(id=f"s1.{n}", text=point) for n, point in enumerate(points, 1))
    return Segment(id="s1", span=Span(0, len(text)), text=text, claims=claims, relations=tuple(find_relations(text)))


@pytest.mark.parametrize(
    ("text", "points", "words"),
    [
        ("The dam leaked because the gate cracked.", ("The dam leaked.", "The gate cracked."), "because"),
        ("The dam leaked because the gate cracked.", ("The dam leaked because the gate cracked.",), "because"),
        ("Visitors pay if they stay overnight.", ("Visitors pay if they stay overnight.",), None),
        ("Visitors pay if they stay overnight.", ("Visitors pay.", "Visitors stay overnight."), "if"),
        ("All visitors pay.", ("Visitors pay.",), None),
        ("The dam is 64 metres high.", ("The dam is 64 metres high.",), None),
    ],
)
def test_a_relation_within_a_point_is_judged_with_it(text: str, points: tuple[str, ...], words: str | None) -> None:
    """But for what ties two statements: a point about the whole segment would hide it."""
    assert tie_words(segment(text, *points)) == words


def test_each_tie_is_named_once() -> None:
    text = "It closed because it leaked, and it leaked because the gate cracked."
    assert tie_words(segment(text, "It closed.", "It leaked.", "The gate cracked.")) == "because"
