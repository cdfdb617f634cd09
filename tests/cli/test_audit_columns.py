"""Columns as the command line names them."""

from __future__ import annotations

import pytest

from guardrail.cli.audit_columns import read_columns
from guardrail.errors import UsageError


def test_columns_and_labels_are_pairs_and_a_label_may_be_its_own_column() -> None:
    found = read_columns(["id=key", "answer=out.text"], ["model=model_name", "team", "day=at=utc"])
    assert found.names == {"id": "key", "answer": "out.text"}
    assert found.labels == {"model": "model_name", "team": "team", "day": "at=utc"}


@pytest.mark.parametrize("given", [None, []])
def test_nothing_given_is_nothing_named(given: list[str] | None) -> None:
    found = read_columns(given, given)
    assert (found.names, found.labels) == ({}, {})


@pytest.mark.parametrize(
    ("column", "reason"),
    [("answer", "--column must be NAME=COLUMN, got 'answer'"), ("anser=text", "unknown column 'anser'.*'answer'")],
)
def test_a_column_of_another_form_is_refused(column: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        read_columns([column], None)
