"""Homographs of connectives."""

from __future__ import annotations

import pytest

from guardrail.check.logic import find_relations
from guardrail.check.logic.lexicon import CONNECTIVES, PATTERN
from guardrail.types import RelationKind

R = RelationKind

NOT_FOUND = [
    ("It has stood there since 1950.", R.CAUSE),
    ("Three of the ten did so.", R.CAUSE),
    ("He was first of all a painter.", R.SCOPE),
    ("She swims once a week.", R.CONDITION),
    ("More than 20 people came.", R.COMPARISON),
    ("It looks like rain.", R.INCLUSION),
    ("It hardens not because it dries.", R.CAUSE),
    ("Juice reduces the effect of the tablets.", R.CAUSE),
    ("The level has since been low.", R.CAUSE),
    ("The wait can be as long as twelve weeks.", R.CONDITION),
    ("原因不明。", R.CAUSE),
    ("百分比上升。", R.COMPARISON),
    ("若干人受伤。", R.CONDITION),
    ("首都很大。", R.SCOPE),
    ("Bake it for 55 minutes in all, then cool it.", R.SCOPE),
    ("The fire's cause remains unknown.", R.CAUSE),
    ("The new line is due to open in May.", R.CAUSE),
    ("You paid 42 euros twice, so that's 84 euros.", R.PURPOSE),
]


@pytest.mark.parametrize("text", ["The wall sank due to land subsidence.", "It was late due to start-up costs."])
def test_a_cause_may_begin_like_a_verb(text: str) -> None:
    assert R.CAUSE in [r.kind for r in find_relations(text)]


@pytest.mark.parametrize(("text", "kind"), NOT_FOUND)
def test_other_meaning_is_no_relation(text: str, kind: R) -> None:
    """The same letters with another meaning state no relation of that kind."""
    assert kind not in [r.kind for r in find_relations(text)]


def test_every_connective_is_matched_whole() -> None:
    """The prefix tree finds each connective, and the longest where one begins another."""
    for words in CONNECTIVES:
        found = PATTERN.search(words)
        assert found is not None
        assert found.group() == words
