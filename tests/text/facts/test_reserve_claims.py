"""Words by which a claim keeps a reserve of its own, and words that settle what was open."""

from __future__ import annotations

import pytest

from guardrail.text.facts import FactKind, compare, extract
from guardrail.text.facts.reserve_claims import DONE, OWN_RESERVE

PLAN = "The council plans to close the rink in Ulm."


@pytest.mark.parametrize(
    "claim",
    [
        "The rink is said to be closed.",
        "The rink may be closed.",
        "The rink was not closed.",
        "They didn’t close the rink.",
        "The rink was almost closed.",
        "Was the rink closed?",
        "Die Halle soll geschlossen werden.",
        "La patinoire aurait fermé.",
        "La pista habría cerrado.",
        "据称溜冰场已关闭。",
    ],
)
def test_a_claim_with_a_reserve_is_no_bare_assertion(claim: str) -> None:
    assert OWN_RESERVE.search(claim)


@pytest.mark.parametrize(
    "claim",
    ["The rink was closed on 4 May.", "The rink was closed in May 2001.", "Die Halle schloss.", "溜冰场关闭了。"],
)
def test_a_bare_assertion_has_none(claim: str) -> None:
    assert OWN_RESERVE.search(claim) is None


@pytest.mark.parametrize(
    ("settled", "done"),
    [
        ("The closing was confirmed.", True),
        ("It closed as planned.", True),
        ("In the end the doors shut.", True),
        ("And so they did.", True),
        ("They did so.", True),
        ("The closing was not confirmed.", False),
        ("They did not.", False),
        ("后来它关闭了。", True),
        ("The rink is old.", False),
    ],
)
def test_what_turns_a_plan_into_a_fact(settled: str, done: bool) -> None:
    assert (DONE.search(settled) is not None) is done


@pytest.mark.parametrize("word", ["really", "actually", "certainly", "indeed"])
def test_who_insists_needs_no_other_evidence_than_who_does_not(word: str) -> None:
    """The word itself need not stand in the evidence for the reserve to be seen."""
    claim = f"The council {word} closed the rink in Ulm."
    found = compare(extract(claim), [extract(PLAN)])
    assert [m.evidence_value for m in found if m.kind is FactKind.RESERVE] == ["“plans to close the rink in Ulm”"]
