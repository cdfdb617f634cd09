"""Options of ``--batch``."""

from __future__ import annotations

from pathlib import Path

import pytest

from guardrail.cli.batches import batch_settings
from guardrail.errors import ConfigurationError, UsageError


def test_the_state_is_beside_the_answers_unless_it_is_named(tmp_path: Path) -> None:
    answers, state = tmp_path / "answers.jsonl", tmp_path / "state"
    assert batch_settings(answers, None, None, at_once=3).state == tmp_path / "answers.jsonl.batch"
    named = batch_settings(answers, state, 5.0, at_once=3)
    assert (named.state, named.longest_poll, named.at_once) == (state, 5.0, 3)


@pytest.mark.parametrize("file", [None, Path("-")])
def test_the_standard_input_needs_a_named_state(file: Path | None, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--batch-state FILE"):
        batch_settings(file, None, None, at_once=1)
    assert batch_settings(file, tmp_path / "state", None, at_once=1).state == tmp_path / "state"


def test_what_becomes_of_batches_is_told_beside_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    batch_settings(Path("answers.jsonl"), None, None, at_once=1).tell("1 of 2 batches done")
    assert capsys.readouterr() == ("", "1 of 2 batches done\n")


def test_a_number_out_of_its_range_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="longest_poll must be seconds above 0, got -1"):
        batch_settings(Path("answers.jsonl"), None, -1.0, at_once=1)
