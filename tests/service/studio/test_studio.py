"""What all views of the studio share."""

from __future__ import annotations

import pytest

from guardrail.errors import UsageError
from guardrail.service.studio.studio import Studio
from tests.support.recorded_answers import write_answers


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    write_answers(path, 12)
    return path


def test_the_label_file_is_never_the_source(answers):
    with pytest.raises(UsageError, match="the input itself"):
        Studio(answers, labels=answers)
    with pytest.raises(UsageError, match="there is no folder"):
        Studio(answers, labels=answers.parent / "no" / "such.jsonl")
