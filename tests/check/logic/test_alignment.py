"""How well the sides of two relations match."""

from __future__ import annotations

from guardrail.check.logic import find_relations
from guardrail.check.logic.alignment import (
    Sides,
    best,
    entailed,
    is_swapped,
    match,
    read_sentence,
    refuted,
    shorten,
    undecided,
    with_words,
    words_of,
)
from guardrail.types import ErrorType


def sides(text: str) -> Sides:
    """The first relation of a text with its words."""
    return with_words(find_relations(text)[0])


def test_match_tells_the_direction() -> None:
    """The weaker side counts; a relation turned round matches backward."""
    claimed = sides("The bridge closed because the pier sank.")
    assert match(claimed, sides("Because the pier sank, the bridge closed.")) == (1.0, 0.0)
    assert match(claimed, sides("The pier sank because the bridge closed.")) == (0.0, 1.0)
    assert match(claimed, sides("The bridge closed because of ice.")) == (0.0, 0.0)


def test_swapped_sides_share_the_rest() -> None:
    """Only what is new on either side has to stand on the other one."""
    claimed = sides("The K40 is heavier than the older K60.")
    assert is_swapped(claimed, sides("The older K60 is heavier than the K40."))
    assert not is_swapped(claimed, sides("The K40 is heavier than the K20."))


def test_the_best_reading_covers_most_words() -> None:
    """The first of equals; -1 where there is nothing to read."""
    readings = [read_sentence("Bats sleep."), read_sentence("Bats sleep in winter caves.")]
    assert best(words_of("winter bats"), readings)[0] == 1
    assert best(words_of("bats"), []) == (-1, 0.0)


def test_worst_verdict_ranks_first() -> None:
    """The opposite stated, not entailed, undecided, entailed."""
    relation = find_relations("Frost leads to cracks.")[0]
    opposite = refuted(relation, ErrorType.CAUSAL_CONFUSION, "", contradicts=True)
    missing = refuted(relation, ErrorType.CAUSAL_CONFUSION, "", contradicts=False)
    ranks = [v.rank for v in (opposite, missing, undecided(relation), entailed(relation, relation))]
    assert ranks == [0, 1, 2, 3]


def test_long_sides_are_cut_for_a_reason() -> None:
    """At most 60 characters."""
    assert shorten("short") == "short"
    assert len(shorten("word " * 40)) <= 60
