"""What a reply says of the check."""

from __future__ import annotations

import pytest

from tests.support.proxied import (
    ASKED,
    QUESTION,
    WRONG,
    client,
    model,
    proxy,
)


def ask(url, **more):
    return client(url).chat.completions.create(**({"model": "m", "messages": ASKED} | more))


@pytest.mark.parametrize(("without", "action"), [("check", "block"), ("skip", "allow")])
def test_no_passages(without, action):
    """What happens is the settings' to say, and the reply says it."""
    with proxy(model, without_passages=without, guard={"policy": "strict"}) as (url, _):
        said = ask(url, messages=[QUESTION])
    assert said.guardrail["action"] == action
    assert said.guardrail["passages"] == []
    assert said.guardrail["checked"] == (without == "check")
    if without == "skip":
        assert said.choices[0].message.content == WRONG
        assert "No passages were found" in said.guardrail["reason"]
    else:
        assert said.guardrail["verdict"] == "unverified"
