"""``guardrail policy``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guardrail import Verdict
from guardrail.cli.main import main


def test_the_schema_is_printed_as_published(capsys):
    assert run(["policy", "schema"]) == 0
    published = Path(__file__).parents[2] / "docs" / "policy.schema.json"
    assert capsys.readouterr().out == published.read_text(encoding="utf-8")


MINE = """
preset: strict
threshold: 0.45
actions: {mixed_entities: regenerate}
score_below: {0.1: block}
on_exhausted: redact
max_attempts: 3
deadline: null
messages: {en: No.}
"""


def test_a_policy_is_explained_in_words(tmp_path, capsys):
    """Every key that counts with its action; what no key names with its default."""
    path = tmp_path / "mine.yaml"
    path.write_text(MINE)
    assert run(["policy", "explain", str(path)]) == 0
    said = capsys.readouterr().out
    for words in (
        "Policy 'mine': a segment counts as supported from a score of 0.45.",
        "  unsupported              block       The passages do not say it.",
        "  mixed_entities           regenerate  The passages say it of a namesake.",
        "  score below 0.1          block       Findings that were judged with such a score.",
        "  At most 3 answers are tried; if none passes: redact.",
        "  There is no deadline. What is not judged is unverified.",
        "  Own messages for blocked answers: en.",
    ):
        assert words in said.splitlines()
    assert "rewrite" not in said
    path.write_text("fail: open")
    assert run(["policy", "explain", str(path)]) == 0
    said = capsys.readouterr().out
    assert "  unverified               flag " in said
    assert "answers are tried" not in said


def test_one_of_several_policies_is_explained(tmp_path, capsys):
    """``FILE#NAME``, unless a file has that very name."""
    path = tmp_path / "tenants.yaml"
    path.write_text("policies: {a: {preset: repair, on_exhausted: {logic: redact}}, b: {preset: strict}}")
    assert run(["policy", "explain", f"{path}#a"]) == 0
    said = capsys.readouterr().out
    assert "Policy 'a'" in said
    assert "if none passes: logic redact; anything else block." in said
    assert run(["policy", "explain", f"{path}#c"]) == 2
    assert "no policy 'c'. Known: a, b" in capsys.readouterr().err
    (tmp_path / "tenants.yaml#a").write_text("name: odd")
    assert run(["policy", "explain", f"{path}#a"]) == 0
    assert "Policy 'odd'" in capsys.readouterr().out


def test_a_policy_is_explained_as_json(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text(MINE)
    assert run(["policy", "explain", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["score_below"] == {"0.1": "block"}
    assert said["actions"]["mixed_entities"] == "regenerate"
    assert said["actions"].keys() >= set(Verdict)
    assert (said["max_attempts"], said["calibration"]) == (3, None)


def test_a_policy_that_is_wrong_is_no_traceback(capsys):
    assert run(["policy", "explain", "strikt"]) == 2
    assert "Did you mean 'strict'?" in capsys.readouterr().err


def run(arguments):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["guardrail", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
    return stop.value.code
