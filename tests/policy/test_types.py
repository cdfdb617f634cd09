"""What type checkers see of a policy."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys

import pytest

from guardrail import Policy

CODE = """
from guardrail import Action, Guard, Policy

policy = Policy(
    name="mine",
    threshold=0.5,
    actions={"contradicted": "block", "causal_confusion": Action.REDACT},
    score_below={0.3: "block", 1: Action.FLAG},
    fail="open",
    deadline=None,
    max_attempts=3,
    on_exhausted={"contradicted": "block", "unsupported": Action.REDACT},
    style="plain",
    messages={"en": "No."},
    calibration=None,
)
Policy(on_exhausted="redact")
Guard(policies={"mine": policy}).run("a", [], policy="mine")
reveal_type(policy.actions["contradicted"])
reveal_type(policy.score_below)
reveal_type(policy.on_exhausted)
"""


def mypy(tmp_path, code):
    file = tmp_path / "typed.py"
    file.write_text(code)
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(file)], capture_output=True, text=True, check=False
    ).stdout


def test_type_checkers_take_the_names_of_actions(tmp_path):
    """And read them as actions."""
    pytest.importorskip("mypy")
    said = mypy(tmp_path, CODE)
    assert "error" not in said
    said = re.sub(r"\b[a-z_]+\.(?:[a-z_]+\.)*(?=[A-Za-z])", "", said)  # versions differ in how they name types
    assert re.findall(r'Revealed type is "(.*)"', said) == [
        "Action",
        "Mapping[float, Action]",
        "Action | Mapping[str, Action]",
    ]
    said = mypy(tmp_path, "from guardrail import Policy\nPolicy(actions={'logic': 'blok'}, action={})\n")
    assert 'Unexpected keyword argument "action"' in said
    assert "Dict entry 0 has incompatible type" in said


def test_type_checkers_know_all_fields():
    assert {f.name for f in dataclasses.fields(Policy)} == set(re.findall(r"^    (\w+)=", CODE, re.MULTILINE))
