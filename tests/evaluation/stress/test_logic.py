"""Causes, conditions, order and connectives."""

from __future__ import annotations

import pytest

from tests.support.stress_versions import wrong


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        (
            "causal_confusion",
            "The canal closed because the railway took the grain trade.",
            "The railway took the grain trade because the canal closed.",
        ),
        ("causal_confusion", "The pump failed because it was old.", "The pump was old because it failed."),
        (
            "causal_confusion",
            "The tower still stands although the council sold the land.",
            "The tower still stands because the council sold the land.",
        ),
        (
            "sufficient_necessary",
            "The deposit is refunded if the tenant leaves the flat clean.",
            "The deposit is refunded only if the tenant leaves the flat clean.",
        ),
        (
            "sufficient_necessary",
            "Debit cards are accepted only if the customer buys the cover.",
            "Debit cards are accepted whenever the customer buys the cover.",
        ),
        ("other_logic", "The choir sang before the mayor arrived.", "The choir sang after the mayor arrived."),
        ("other_logic", "The firm used steel instead of timber.", "The firm used steel in addition to timber."),
        ("other_logic", "The fee is due unless the guest cancels.", "The fee is due if the guest cancels."),
    ],
)
def test_what_is_made(kind, sentence, expected):
    assert (kind, expected) in wrong(sentence)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("causal_confusion", "The pump failed because of the frost."),
        ("causal_confusion", "She left because her car, which was old, broke down there."),
        ("sufficient_necessary", "They asked if the road was open."),
        ("sufficient_necessary", "He left even if the road was closed."),
        ("other_logic", "She was named after her aunt."),
        ("other_logic", "He was looked after by a nurse."),
    ],
)
def test_nothing_where_it_is_not_sure(kind, sentence):
    assert kind not in {found for found, _ in wrong(sentence)}
