"""Rates over time."""

from __future__ import annotations

import pytest

from guardrail.service.studio.recorded.series import POINTS, STEPS, series
from tests.service.studio.recorded.conftest import NOW, asked


def test_a_store_without_records_has_no_series(tmp_path, kept):
    source = kept(("supported", {}))
    assert asked(source, series, {"release": "v9"}, None) is None


def test_points_lines_and_marks(kept):
    source = kept(
        *(
            ("contradicted" if number % 4 == 0 else "supported",
             {"at": NOW - 86_400 * 6 + number * 3_600, "labels": {"release": "v1" if number < 72 else "v2"}})
            for number in range(144)
        )
    )  # fmt: skip
    found = asked(source, series, {}, "release")
    assert found.step == 10_800
    assert sum(point.records for point in found.whole.points if point) == 144
    assert [(line.value, line.whole.records) for line in found.lines] == [("v1", 72), ("v2", 72)]
    assert [(mark.key, mark.value, mark.at) for mark in found.marks] == [("release", "v2", NOW - 86_400 * 3)]
    for days, times in ((5, "since"), (4, "until"), (2, "since")):  # v2 came up three days ago
        marks = asked(source, series, {times: str(NOW - 86_400 * days)}, None).marks
        assert [mark.value for mark in marks] == (["v2"] if days == 5 else [])
    first = found.lines[1].points
    assert first[0] is None
    assert all(len(line.points) == len(found.whole.points) <= POINTS for line in found.lines)


@pytest.mark.parametrize("span", [0, 59, 3_600, 86_400, 86_400 * 30, 86_400 * 365 * 50])
def test_any_stretch_of_time_has_at_most_sixty_points(kept, span):
    found = asked(kept(("supported", {"at": NOW - span}), ("contradicted", {"at": NOW - 1})), series, {}, None)
    assert 1 <= len(found.whole.points) <= POINTS
    assert found.step in STEPS
    assert found.whole.points[-1].records >= 1
    assert sum(point.records for point in found.whole.points if point) == found.whole.whole.records
