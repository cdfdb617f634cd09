"""The table of what logic rules earn."""

from __future__ import annotations

import pytest

from training.ablation import claims_of, precision, rules_against, table

RECORD = {
    "sentences": [
        "Most rooms have a bath.",
        "The rent includes parking.",
        "Breakfast is served from seven.",
        "Pets must stay outside.",
        "The lift is old.",
    ],
    "supported": [{"c": "Parking is included in the rent.", "e": [1]}],
    "unsupported": [{"c": "All rooms have a bath.", "t": "overgeneralization", "p": None, "v": "contradicted"}],
}


def test_evidence_is_what_a_claim_needs_and_what_is_near() -> None:
    """The needed sentence stands first; a wrong claim without a twin gets the nearest."""
    right, wrong = claims_of(RECORD)
    assert right.evidence[0] == "The rent includes parking."
    assert "Most rooms have a bath." in wrong.evidence
    assert (right.error, wrong.error) == ("", "overgeneralization")


def test_rules_are_named_without_quotes() -> None:
    """By kind and reason; by connective where that is asked for."""
    right, wrong = claims_of(RECORD)
    assert rules_against(right, words=False) == {}
    assert list(rules_against(wrong, words=False)) == ["scope: The segment says; the evidence says."]
    assert list(rules_against(wrong, words=True)) == ["scope (all): The segment says; the evidence says."]


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Shares of right and wrong claims, and the precision at equal numbers of both."""
    table(list(claims_of(RECORD)), words=False, show=None)
    assert "0.00% 100.00%      1.00  any rule" in capsys.readouterr().out
    assert precision(0.1, 0.3) == pytest.approx(0.75)
