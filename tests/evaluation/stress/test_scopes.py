"""Quantities, exceptions and conditions lost or turned round."""

from __future__ import annotations

import pytest

from tests.support.stress_versions import wrong


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("overgeneralization", "Some members voted against the plan.", "All members voted against the plan."),
        ("overgeneralization", "Two of the seven wells are dry.", "All of the seven wells are dry."),
        ("overgeneralization", "The fog usually lifts by noon.", "The fog always lifts by noon."),
        ("overgeneralization", "The drug may cause headaches.", "The drug will cause headaches."),
        (
            "overgeneralization",
            "Every room must be cleaned daily unless it is empty.",
            "Every room must always be cleaned daily.",
        ),
        (
            "inclusion_relation",
            "All lenses are free except the macro lens.",
            "All lenses are free, including the macro lens.",
        ),
        (
            "inclusion_relation",
            "All seats, including the balcony, cost the same.",
            "All seats, except the balcony, cost the same.",
        ),
    ],
)
def test_what_is_made(kind, sentence, expected):
    assert (kind, expected) in wrong(sentence)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("overgeneralization", "It is the most expensive hotel in town."),
        ("inclusion_relation", "The offer is valid but not on Sundays."),
    ],
)
def test_nothing_where_it_is_not_sure(kind, sentence):
    assert kind not in {found for found, _ in wrong(sentence)}
