"""A calibrated threshold in words and as a policy file."""

from __future__ import annotations

import hashlib

import pytest

from guardrail import Policy
from guardrail.evaluation.conformal import Choice, Risk
from guardrail.evaluation.guarantee import guarantee, policy_text, sources
from guardrail.policy.calibration import Calibration, hash_files

BLOCK = Calibration(data="ab", n=40, risk="missed", target=0.1, threshold=0.7, engine="e", guarantee="g", delta=0.1)


def test_a_policy_file_round_trips(tmp_path):
    """What is written is read, with or without what is optional."""
    path = tmp_path / "p.yaml"
    path.write_text(policy_text({"preset": "repair", "messages": {"zh": "不"}}, BLOCK), encoding="utf-8")
    assert Policy.load(path) == Policy.repair().with_(
        name="p", threshold=0.7, messages={"zh": "不"}, calibration=BLOCK
    )  # fmt: skip


@pytest.mark.parametrize("risk", Risk)
def test_the_guarantee_names_its_population_and_condition(risk):
    """In words that hold for each risk, with cases of several and without."""
    for grouped in (False, True):
        choice = Choice(
            threshold=0.5, risk=risk, target=0.025, delta=None, n=50, answers=90, grouped=grouped, loss=0.01, cost=0.1
        )  # fmt: skip
        text = guarantee(choice, "claim", deadline=2.5)
        assert "at most 2.5 %" in text
        assert "in expectation over the draw of the labelled data" in text
        assert ("50 cases of 90 labelled" in text) is grouped
        assert "exchangeable with" in text
        assert "judged in the same way: this engine, this threshold, a deadline of 2.5 s" in text
        assert "answer" not in text.replace("claim", "")


def test_a_folder_is_hashed_whole(tmp_path):
    """Hidden files are not data."""
    for name, text in (("b.jsonl", "2"), ("a.jsonl", "1"), (".cache", "3")):
        (tmp_path / name).write_text(text)
    assert sources(tmp_path) == [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    assert hash_files(sources(tmp_path)) == hashlib.sha256(b"12").hexdigest()
