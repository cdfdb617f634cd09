"""Filters as they come in an address."""

from __future__ import annotations

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
