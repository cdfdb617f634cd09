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


WRONG = """
from guardrail import Policy
Policy(actions={'logic': 'blok'}, action={})
"""


def mypy(tmp_path, **codes):
    """What it says of each file. The options are those of `make lint`, so that what is imported is read only once."""
    files = []
    for name, code in codes.items():
        files.append(tmp_path / f"{name}.py")
        files[-1].write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, files)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return ["\n".join(line for line in said if f"{file.name}:" in line) for file in files]


def test_type_checkers_take_the_names_of_actions(tmp_path):
    """And read them as actions."""
    pytest.importorskip("mypy")
    said, of_wrong = mypy(tmp_path, typed=CODE, wrong=WRONG)
    assert "error" not in said
    said = re.sub(r"\b[a-z_]+\.(?:[a-z_]+\.)*(?=[A-Za-z])", "", said)  # versions differ in how they name types
    assert re.findall(r'Revealed type is "(.*)"', said) == [
        "Action",
        "Mapping[float, Action]",
        "Action | Mapping[str, Action]",
    ]
    assert 'Unexpected keyword argument "action"' in of_wrong
    assert "Dict entry 0 has incompatible type" in of_wrong


def test_type_checkers_know_all_fields():
    assert {f.name for f in dataclasses.fields(Policy)} == set(re.findall(r"^    (\w+)=", CODE, re.MULTILINE))
