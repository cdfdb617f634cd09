"""One concept replaced by a neighbouring one."""

from __future__ import annotations

import pytest

from tests.support.stress_versions import wrong


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("conceptual_substitution", "The landlord pays the water bill.", "The tenant pays the water bill."),
        ("conceptual_substitution", "A novel won the award.", "A poem won the award."),
        ("conceptual_substitution", "The firm hired an engineer.", "The firm hired an architect."),
    ],
)
def test_what_is_made(kind, sentence, expected):
    assert (kind, expected) in wrong(sentence)


@pytest.mark.parametrize(("kind", "sentence"), [("conceptual_substitution", "They export it to Norway.")])
def test_nothing_where_it_is_not_sure(kind, sentence):
    assert kind not in {found for found, _ in wrong(sentence)}
