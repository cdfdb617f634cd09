"""Filters as they come in an address."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from guardrail.service.studio.recorded.chosen import FieldError, read_chosen
from guardrail.service.studio.recorded.listing import list_records
from tests.service.studio.recorded.conftest import NOW

VERDICTS = ("supported", "contradicted", "unsupported", "contradicted", "unverified", "abstained", "unsupported")


def listed(source, query=None, **how):
    with source.open() as connection:
        return list_records(source, connection, read_chosen(query or {}, NOW), NOW, **how)


def numbers(page):
    return [int(record["id"], 16) for record in page.records]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"verdict": "contradicted"}, [4, 2]),
        ({"release": "v2"}, [2]),
        ({"topic": "places", "release": "v1"}, [7, 6, 5, 4, 3, 1]),
        ({"error_type": "causal_confusion"}, [7, 4, 3, 2]),
        ({"since": str(NOW - 1000 + 6)}, [7, 6]),
        ({"until": "2027-01-15T07:43:23+00:00"}, [2, 1]),
        ({"policy": "strict"}, [3]),
        ({"engine": "other"}, [5]),
        ({"labelled": "yes"}, []),
        ({"text": f"{4:032x}"}, [4]),
        ({"text": "a" * 32}, [6]),
    ],
)
def test_filters(kept, query, found):
    given = [{"labels": {"release": "v2" if number == 2 else "v1"}} for number in range(1, 8)]
    given[2] |= {"policy": "strict"}
    given[4] |= {"engine": "other"}
    given[5] |= {"trace_id": "a" * 32}
    source = kept(*zip(VERDICTS, given, strict=True))
    assert numbers(listed(source, query, order="newest")) == found


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"verdict": "contradictory"}, "verdict"),
        ({"error_type": "typo"}, "error_type"),
        ({"since": "yesterday"}, "since"),
        ({"until": "2026-13-01"}, "until"),
        ({"since": "9" * 13}, "since"),
        ({"labelled": "maybe"}, "labelled"),
        ({"text": "x" * 501}, "text"),
    ],
)
def test_a_filter_that_is_not_understood_is_named(query, field):
    with pytest.raises(FieldError) as refused:
        read_chosen(query, NOW)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("30m", NOW - 1_800),
        ("24h", NOW - 86_400),
        ("2w", NOW - 14 * 86_400),
        ("1767225600", 1_767_225_600.0),
        ("1767225600.5", 1_767_225_600.5),
        ("2026-01-01T00:00:00+00:00", datetime(2026, 1, 1, tzinfo=UTC).timestamp()),
        (" 7d ", NOW - 7 * 86_400),
        ("  ", None),
    ],
)
def test_times_are_ago_or_of_the_clock(said: str, seconds: float | None) -> None:
    assert read_chosen({"since": said}, NOW).selection.since == seconds


@pytest.mark.parametrize("said", ["0x10", "-5", "1e9", "7days", "99999-01-01", "2026-02-30", "12345678901234"])
def test_a_time_that_is_none_is_refused_and_not_guessed(said: str) -> None:
    with pytest.raises(FieldError, match="since must be a date") as refused:
        read_chosen({"since": said}, NOW)
    assert refused.value.field == "since"


def test_an_id_is_looked_up_and_anything_else_is_searched_for() -> None:
    assert read_chosen({"text": "a" * 32}, NOW).needle == ""
    for text in ("a" * 31, "A" * 32, "g" * 32, "dam"):
        assert read_chosen({"text": text}, NOW).needle == text


def test_labels_that_nobody_knows_are_no_filters_and_values_are_never_part_of_the_sql() -> None:
    evil = "x' OR 1=1 --"
    chosen = read_chosen({"release": evil, "policy": evil, "engine": evil, "colour": evil}, NOW)
    where, values = chosen.where(NOW)
    assert "OR 1=1" not in where
    assert values.count(evil) == 3
    assert "colour" not in chosen.selection.labels
