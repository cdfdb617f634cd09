"""The settings of the proxy."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from guardrail.retrieval.request.evidence import find_evidence
from guardrail.service.proxy.options import ProxySettings

DAM = "The dam is 64 metres high."
BODY = {
    "messages": [
        {"role": "user", "content": f"<context>{DAM}</context>"},
        {"role": "user", "content": [{"type": "grounding_source", "text": "Tagged by a user."}]},
        {"role": "tool", "content": "Said by a tool."},
    ]
}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, ["Said by a tool.", DAM]),
        ({"tools": False}, [DAM]),
        ({"source_roles": ["system"]}, ["Said by a tool."]),
        ({"tagged_roles": ["user"], "tools": False}, ["Tagged by a user."]),
    ],
)
def test_whose_words_may_be_evidence_is_the_settings_to_say(given: dict[str, Any], found: list[str]) -> None:
    trust = ProxySettings(**given).trust
    assert [p.text for p in find_evidence(BODY, trust).passages] == found


@pytest.mark.parametrize(
    "given",
    [{"source_roles": ["assistant"]}, {"tagged_roles": ["tool"]}, {"block": "silent"}, {"thought": "pass"}],
)
def test_the_assistant_is_never_trusted_and_unknown_settings_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(given))):
        ProxySettings(**given)
