"""Conversations are read as what each speaker says of whom; quotations and spans stay those of the source."""

from __future__ import annotations

import pytest

from guardrail import Guard, Verdict
from guardrail.text.passages import sentences

CALL = """[00:06] Customer: My line drops every evening.
[00:12] Agent: I can see a fault on your line. I'll book a visit for Thursday.
[00:20] Customer: Can you waive the fee?
[00:24] Agent: You said "I never pay", but I can credit you 10 euros."""


def test_pronouns_become_speakers() -> None:
    assert [s.text for s in sentences(CALL)] == [
        "The customer's line drops every evening.",
        "The agent can see a fault on the customer's line.",
        "The agent will book a visit for Thursday.",
        "Customer: Can the agent waive the fee?",
        'The customer said "I never pay", but the agent can credit the customer 10 euros.',
    ]


def test_spans_are_those_of_the_source() -> None:
    found = sentences(CALL)
    assert [s.span.of(CALL) for s in found] == [s.spoken for s in found]
    assert found[2].spoken == "I'll book a visit for Thursday."


@pytest.mark.parametrize(
    "text",
    [
        "Warranty: 5 years\nRefrigerant: R290\nNoise: 42 dB",
        "Q: Can I bring my dog?\nA: Yes, you can.\nQ: And my cat?\nA: No.",
        "Ann: I am late.\nBen: You are.",
    ],
)
def test_other_lines_are_no_conversation(text: str) -> None:
    assert not any(s.spoken for s in sentences(text))


def test_you_stays_where_three_speak() -> None:
    text = "Ann: I checked it.\nBen: You did?\nCleo: I did, too.\nAnn: My code is fine."
    assert [s.text for s in sentences(text)] == [
        "Ann checked it.",
        "Ben: You did?",
        "Cleo did, too.",
        "Ann's code is fine.",
    ]


def test_changed_roles_are_found_and_quotations_stay() -> None:
    answer = (
        "The agent can see a fault on the customer's line. The customer can see a fault on the agent's line. "
        "The agent offered: “I can credit you 10 euros.”"
    )
    right, wrong, quoted = Guard().check(answer, [CALL]).findings
    assert (right.verdict, wrong.verdict) == (Verdict.SUPPORTED, Verdict.CONTRADICTED)
    assert "mentions" not in (quoted.reason or "")
