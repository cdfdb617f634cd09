"""Names, subjects and values exchanged; facts told of another."""

from __future__ import annotations

import pytest

from tests.support.stress_versions import wrong


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("entity_inversion", "Naomi Teller beat Hana Brix in Porto.", "Hana Brix beat Naomi Teller in Porto."),
        (
            "entity_inversion",
            "Mara Quist designed the bridge, while Leo Brandt painted the hall.",
            "Leo Brandt designed the bridge, while Mara Quist painted the hall.",
        ),
        (
            "entity_inversion",
            "A day ticket costs 6 euros, while a monthly card costs 40 euros.",
            "A day ticket costs 40 euros, while a monthly card costs 6 euros.",
        ),
        (
            "conflation",
            "Mara Quist designed the bridge, while Leo Brandt painted the hall.",
            "Both Mara Quist and Leo Brandt designed the bridge.",
        ),
        ("conflation", "Naomi Teller beat Hana Brix in Porto.", "Naomi Teller won the prize in 1988."),
    ],
)
def test_what_is_made(kind, sentence, expected):
    assert (kind, expected) in wrong(sentence)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("entity_inversion", "Naomi Teller met Hana Brix in Porto."),
        ("entity_inversion", "It is heavier than expected."),
        ("conflation", "The bridge is long."),
    ],
)
def test_nothing_where_it_is_not_sure(kind, sentence):
    assert kind not in {found for found, _ in wrong(sentence)}
