"""Edits of an answer: connectives that dangle, edits that overlap."""

from __future__ import annotations

import pytest

from guardrail import Guard
from guardrail.repair import LocalRewriter
from guardrail.repair.local.edits import Edit, apply_edits, without_connective
from guardrail.testing import FakeEngine
from guardrail.types import Span
from tests.support.rewrites import REWRITE, feedback_of


@pytest.mark.parametrize(
    ("tail", "left"),
    [
        ("Therefore, the dam was closed.", "The dam was closed."),
        ("However the dam was closed.", "The dam was closed."),
        ("As a result, the dam was closed.", "The dam was closed."),
        ("因此，大坝关闭了。", "大坝关闭了。"),
        ("The dam was closed.", "The dam was closed."),
        ("This led to the closing of the dam.", None),
        ("Because of this the dam was closed.", None),
    ],
)
def test_a_connective_that_lost_its_other_side_is_dropped(tail, left):
    edits = without_connective(f"x {tail}", 2)
    assert (None if edits is None else apply_edits(f"x {tail}", edits)[2:]) == left


def test_edits_that_overlap_do_not_tear_the_text():
    """Findings on claims that the caller gave may overlap."""
    answer = "one two three four"
    edits = [Edit(Span(4, 13)), Edit(Span(8, 18), "X"), Edit(Span(0, 3), "1")]
    assert apply_edits(answer, edits) == "1 four"
    claims = ["Rita Halloway built the dam", "Rita Halloway owned the dam", "The dam is 64 metres high"]
    report = Guard(policy=REWRITE, engine=FakeEngine({"Halloway": "unsupported"})).check(
        "Rita Halloway built and owned the dam. The dam is 64 metres high.", ["-"], claims=claims
    )
    assert LocalRewriter().rewrite(feedback_of(report)) == "The dam is 64 metres high."
