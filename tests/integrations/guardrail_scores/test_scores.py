"""Scores against a server on loopback that keeps what it is sent, as the vendors' would."""

import pytest
from guardrail_scores import Langfuse, NotWrittenError, Phoenix, scores_of

from tests.support.dialect_server import UNJUDGED, WRONG
from tests.support.scored import guarded


def test_what_is_told():
    assert [(s.name, s.value) for s in scores_of(guarded())] == [
        ("guardrail.verdict", "contradicted"),
        ("guardrail.score", 0.03),
        ("guardrail.faithfulness", 0.5),
    ]
    assert scores_of(guarded())[0].comment == "1 supported, 1 contradicted"
    assert not any(WRONG in score.comment for score in scores_of(guarded()))


def test_what_was_not_verified_has_no_score():
    assert "guardrail.score" not in [s.name for s in scores_of(guarded(UNJUDGED))]


def test_what_is_not_taken_is_said(taker):
    taker.status = 401
    with Langfuse("pk", "sk", taker.url) as sink, pytest.raises(NotWrittenError, match="401") as error:
        sink.write(guarded(), "trace-1")
    assert error.value.status == 401
    assert "sk" not in str(error.value).split()


def test_what_cannot_be_reached():
    with Phoenix("http://127.0.0.1:9") as sink, pytest.raises(NotWrittenError, match="could not be reached"):
        sink.write(guarded(), "67f6740bbe1ddc3f")
