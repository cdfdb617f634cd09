"""What a request brings: for the service a wrong field of ours is a status of its own."""

from __future__ import annotations

import pytest

from guardrail.service.errors import Invalid
from guardrail.service.proxy.evidence import find_evidence


def test_a_wrong_field_of_ours_is_invalid() -> None:
    with pytest.raises(Invalid, match="must be a text") as failed:
        find_evidence({"messages": [], "guardrail": {"question": 3}})
    assert failed.value.status == 422


def test_what_is_right_is_found() -> None:
    found = find_evidence(
        {"messages": [{"role": "user", "content": "Why?"}], "guardrail": {"passages": ["It rained."]}}
    )
    assert [passage.text for passage in found.passages] == ["It rained."]
    assert found.question == "Why?"
