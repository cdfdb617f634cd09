"""English sentences said otherwise."""

from __future__ import annotations

import pytest

from guardrail.evaluation.stress.rewording import LEADS
from tests.support.stress_versions import right


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The canal closed because the railway took the trade.",
            "Because the railway took the trade, the canal closed.",
        ),
        ("The canal closed because the railway took the trade.", "The railway took the trade, so the canal closed."),
        ("The tower stands although the council sold it.", "Although the council sold it, the tower stands."),
        ("The well was dry, so the farmers left the valley.", "Because the well was dry, the farmers left the valley."),
        ("The court has three judges.", "The court has 3 judges."),
        ("The pool, a gift of the town, is heated (by gas).", "The pool, a gift of the town, is heated."),
    ],
)
def test_the_meaning_is_kept(sentence, expected):
    assert expected in right(sentence)


def test_a_lead_in_stands_before_what_is_surely_no_name():
    assert any(text.startswith(LEADS) for text in right("The court has three judges."))
    assert not any(text.startswith(LEADS) for text in right("Judges sat there in May."))
