"""Verbs negated or no longer negated, opposites, bounds."""

from __future__ import annotations

import pytest

from tests.support.stress_versions import wrong


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("inclusion_relation", "The ticket does not include the museum.", "The ticket includes the museum."),
        ("contradiction", "The bridge was built in iron.", "The bridge was not built in iron."),
        ("contradiction", "Dogs are not allowed on the beach.", "Dogs are allowed on the beach."),
        ("contradiction", "The second room is larger.", "The second room is smaller."),
        ("contradiction", "The inn has at least three rooms.", "The inn has at most three rooms."),
    ],
)
def test_what_is_made(kind, sentence, expected):
    assert (kind, expected) in wrong(sentence)


@pytest.mark.parametrize(("kind", "sentence"), [("contradiction", "The road was muddy because of rain.")])
def test_nothing_where_it_is_not_sure(kind, sentence):
    assert kind not in {found for found, _ in wrong(sentence)}
