"""What a check asks of an engine: requests with a deadline, rows that say why nobody judged, drafts that lose nothing."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from guardrail import EngineError
from guardrail.check.contract import (
    AsyncEngine,
    DecomposeRequest,
    Draft,
    Engine,
    NotJudged,
    VerifyRequest,
    seconds_left,
    unverified,
    validated_draft,
)
from guardrail.check.decompose import decompose
from guardrail.testing import FakeEngine
from guardrail.types import Cause, EntityGroup, Passage, Span

ANSWER = "The dam is 64 metres high. It was built by Rita Halloway."
REQUEST = DecomposeRequest(answer=ANSWER, question=None, parts=decompose(ANSWER))
DRAFT = Draft(parts=REQUEST.parts)


def test_a_deadline_is_a_time_of_the_monotonic_clock():
    over = time.monotonic() - 60
    assert seconds_left(None) is None
    assert seconds_left(over) == 0.0
    assert seconds_left(over + 3600) > 60
    assert VerifyRequest(segments=(), passages=(), deadline=over).expired()
    assert not VerifyRequest(segments=(), passages=()).expired()


def test_what_was_not_judged_says_why():
    row = NotJudged("too late", Cause.TIMEOUT).row("s1", (None,))
    assert (row.segment_id, row.unverified, row.cause, row.supported) == ("s1", "too late", Cause.TIMEOUT, 0.0)


def test_a_matrix_that_judges_nothing_has_every_row():
    request = VerifyRequest(segments=REQUEST.parts.checked, passages=(Passage(text="x", id="1"),))
    rows = unverified(request, "down").rows
    assert [row.segment_id for row in rows] == [segment.id for segment in REQUEST.parts.checked]
    assert {(row.unverified, row.cause, row.cells) for row in rows} == {("down", Cause.ENGINE, (None,))}


def test_who_is_an_engine():
    assert isinstance(FakeEngine(), Engine)
    assert not isinstance(FakeEngine(), AsyncEngine)


def test_a_draft_that_loses_nothing_is_taken_as_it_is():
    assert validated_draft(REQUEST, DRAFT) is DRAFT


def _with(*segments):
    return replace(DRAFT, parts=replace(DRAFT.parts, segments=segments))


FIRST, SECOND = REQUEST.parts.segments


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        (_with(FIRST, replace(SECOND, id=FIRST.id)), "same id"),
        (_with(FIRST, SECOND, replace(SECOND, id="s3", span=Span(0, 999))), "outside the answer"),
        (_with(FIRST), "lost a piece"),
        (replace(DRAFT, groups=(EntityGroup(id="g1", name="", segments=(FIRST.id,)),)), "groups do not hold"),
    ],
)
def test_a_draft_that_does_not_hold_is_refused(draft, why):
    with pytest.raises(EngineError, match=why):
        validated_draft(REQUEST, draft)
