"""Policies by name: presets come first, whatever lies in the folder."""

from __future__ import annotations

import pytest

from guardrail.cli.check import _policy
from guardrail.errors import ConfigurationError
from guardrail.policy import Policy
from guardrail.policy.by_name import load_policy, policy_file
from guardrail.policy.keys import PRESETS


def test_these_are_all_presets():
    with pytest.raises(ConfigurationError, match=f"Known: {', '.join(PRESETS)}\\."):
        Policy.load("?")


@pytest.mark.parametrize("name", PRESETS)
def test_a_file_or_folder_of_a_presets_name_changes_nothing(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    assert load_policy(name) == _policy(name, None) == Policy.load(name).with_(deadline=None)
    assert policy_file(name) is None


def test_a_file_keeps_its_deadline(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("preset: strict\ndeadline: 3\n")
    assert load_policy(str(path)).deadline == 3
    assert policy_file(str(path)) == path
