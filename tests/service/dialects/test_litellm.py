"""LiteLLM's calls about one answer: the exact responses, and what joins them, across workers."""

import pytest

from guardrail.service.settings import CallSettings
from tests.support.dialect_server import RIGHT, serving, settings
from tests.support.golden_requests import answers_exactly, golden, refused_in_form
from tests.support.litellm_calls import answered, asked


def test_two_workers_share_what_a_request_brought(tmp_path):
    shared = CallSettings(path=tmp_path / "calls.db")
    with (
        serving(settings(tmp_path, calls=shared)) as (first, _),
        serving(settings(tmp_path, calls=shared)) as (second, _),
    ):
        assert asked(first, "call-2", "trace-2") == {"action": "NONE"}
        assert answered(second, RIGHT, call="call-2")["action"] == "NONE"
        assert answered(second, RIGHT, call="a retry", trace="trace-2")["action"] == "NONE"
        assert answered(second, RIGHT, call="stranger")["action"] == "BLOCKED"  # no passages: not verified


def test_passages_and_question_of_the_parameters_come_first(url):
    params = {"passages": [{"text": "Rita Halloway wrote a book.", "id": "b"}], "guard": "watch"}
    asked(url, "call-3", params=params)
    assert answered(url, RIGHT, call="call-3", params={"guard": "watch"})["action"] == "NONE"


def test_more_passages_than_the_limit(tmp_path):
    from guardrail.service.settings import Limits

    with serving(settings(tmp_path, limits=Limits(passages=2))) as (url, _):
        reply = answered(url, RIGHT, params={"passages": ["a", "b", "c"]})
    assert reply["error"]["code"] == "too_large"


@pytest.mark.parametrize("cases", golden("litellm"))
def test_exact_response(cases, url):
    answers_exactly(url, cases)


def test_refusals_have_the_vendors_form(locked):
    refused_in_form(locked, "/beta/litellm_basic_guardrail_api", "error", "code")
