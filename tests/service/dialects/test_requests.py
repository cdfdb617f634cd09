"""What all dialects do with a request, and with what was found."""

from __future__ import annotations

import httpx
import pytest

from guardrail.guard import Guard
from guardrail.service.dialects.requests import faults, share_of
from guardrail.testing import FakeEngine
from guardrail.types import Span
from tests.support.dialect_server import RIGHT, SOURCE, UNJUDGED, VERDICTS, WRONG

TEXT = "The dam is high."


@pytest.mark.parametrize(
    ("spans", "share"),
    [
        ([], 0.0),
        ([Span(0, 8)], 0.5),
        ([Span(8, 12), Span(0, 4)], 0.5),
        ([Span(0, 8), Span(4, 12), Span(5, 6)], 0.75),
        ([Span(0, 16), Span(0, 16)], 1.0),
        ([Span(0, 1), Span(3, 4), Span(6, 7)], 0.1875),
    ],
)
def test_a_character_that_several_spans_cover_counts_once(spans: list[Span], share: float) -> None:
    assert share_of(spans, TEXT) == share


def test_of_an_empty_text_nothing_is_covered() -> None:
    assert share_of([], "") == 0.0


def test_faults_are_all_that_is_not_supported_in_the_order_of_the_answer() -> None:
    """An interface that says yes or no must not say yes to what could not be judged."""
    report = Guard(engine=FakeEngine(VERDICTS)).check(f"{UNJUDGED} {RIGHT} {WRONG}", [SOURCE])
    assert [(fault.text, fault.verdict.value) for fault in faults(report)] == [
        (UNJUDGED, "unverified"),
        (WRONG, "contradicted"),
    ]
    assert faults(Guard(engine=FakeEngine(VERDICTS)).check(RIGHT, [SOURCE])) == ()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"text": "A dam.", "groundingSources": "one"}', "groundingSources: Input should be a valid array"),
        ('{"groundingSources": []}', "text: Field required"),
        (
            '{"text": "A dam.", "groundingSources": [], "qna": {"query": 3}}',
            "qna.query: Input should be a valid string",
        ),
        ("[]", "body: Input should be an object"),
        ("", "the body is not valid JSON: "),
    ],
)
def test_a_body_that_is_wrong_is_refused_with_the_name_of_the_field(url: str, body: str, said: str) -> None:
    reply = httpx.post(f"{url}/contentsafety/text:detectGroundedness", content=body)
    assert reply.status_code == 400
    assert reply.json()["error"]["message"].startswith(said)


def test_the_guard_of_the_path_comes_before_that_of_the_header(url: str) -> None:
    body = {"text": f"{RIGHT} {WRONG}", "groundingSources": [SOURCE], "correction": True}
    path, named = "/contentsafety/text:detectGroundedness", {"x-guardrail-guard": "nosuch"}
    assert httpx.post(f"{url}/guards/redact{path}", json=body, headers=named).status_code == 200
    assert httpx.post(url + path, json=body, headers=named).status_code == 404
    assert httpx.post(f"{url}/guards/nosuch{path}", json=body).status_code == 404
