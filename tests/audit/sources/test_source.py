"""Rows that are an answer each: one that cannot be read costs only itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from guardrail.audit.answer import LoggedAnswer, Rejected
from guardrail.audit.columns import Columns
from guardrail.audit.sources.source import Raw, one_by_one
from guardrail.errors import UsageError


def read(row: Mapping[str, Any], place: str, _columns: Columns) -> LoggedAnswer | Rejected | None:
    if row["kind"] == "other":
        return None
    if row["kind"] == "bad":
        raise UsageError("no such year")
    return LoggedAnswer(id=row["id"], answer="It closes.", passages=(), documents=(), place=place)


def rows(*given: Mapping[str, Any] | None) -> Iterator[Raw]:
    for number, row in enumerate(given, 1):
        error = "is not UTF-8 text" if row is None else ""
        yield Raw(place=f"log:{number}", size=10.0, row=row, error=error, excerpt="\ufffd" if row is None else "")


def test_each_row_is_an_answer_or_is_rejected_with_its_place() -> None:
    form = one_by_one(read)
    found = list(form(rows({"kind": "answer", "id": "a1"}, None, {"kind": "bad"}, {"id": "a4"}), Columns()))
    assert [size for _, size in found] == [10.0] * 4
    answer, unread, bad, without = (one for one, _ in found)
    assert isinstance(answer, LoggedAnswer)
    assert (answer.id, answer.place) == ("a1", "log:1")
    assert unread == Rejected(place="log:2", reason="is not UTF-8 text", excerpt="\ufffd")
    assert bad == Rejected(place="log:3", reason="cannot be read: no such year", excerpt="{'kind': 'bad'}")
    assert without == Rejected(place="log:4", reason="cannot be read: 'kind'", excerpt="{'id': 'a4'}")


def test_a_row_of_another_kind_is_no_loss() -> None:
    assert list(one_by_one(read)(rows({"kind": "other"}), Columns())) == []


def test_what_a_broken_file_held_besides_is_not_counted() -> None:
    lost = Raw(place="log", size=4.0, error="cannot be read on: end of file", rows=None)
    assert lost.rejected() == Rejected(place="log", reason="cannot be read on: end of file", rows=None)
