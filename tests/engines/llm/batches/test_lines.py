"""Lines of a file of results: what is no result is as if it were not there."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.batches.lines import read_lines

GOOD = b'{"custom_id": "a", "x": 1}'


def test_results_come_in_the_order_of_the_file() -> None:
    assert list(read_lines(GOOD + b'\n{"custom_id": "b"}\n')) == [{"custom_id": "a", "x": 1}, {"custom_id": "b"}]
    assert list(read_lines(b"")) == []


@pytest.mark.parametrize(
    "odd",
    [
        b"",
        b"{",
        b"null",
        b"[1]",
        b'"a"',
        b"{}",
        b'{"custom_id": 7}',
        b'{"custom_id": null}',
        b"\xff\xfe",
        b'{"custom_id": "c", "x": ',
        b"[" * 100_000,
        b"{" * 100_000,
    ],
)
def test_a_line_that_is_no_result_spoils_itself_only(odd: bytes) -> None:
    assert [line["custom_id"] for line in read_lines(b"\n".join((GOOD, odd, GOOD)))] == ["a", "a"]


def test_line_ends_of_other_systems_and_inside_texts() -> None:
    found = list(read_lines(GOOD + b"\r\n" + '{"custom_id": "b", "text": "\u2028"}'.encode()))
    assert [line["custom_id"] for line in found] == ["a", "b"]
    assert found[1]["text"] == "\u2028"
