"""Rates, changes and series: the dashboard's definitions over what the store kept."""

from __future__ import annotations

import pytest

from guardrail.service.studio.recorded.changes import Compared
from guardrail.service.studio.recorded.chosen import FieldError, read_chosen
from guardrail.service.studio.recorded.facets import facets
from guardrail.service.studio.recorded.kept import KEPT
from guardrail.service.studio.recorded.series import POINTS, STEPS, series
from guardrail.service.studio.recorded.tally import tally, tally_of
from guardrail.telemetry.records import RecordStore
from tests.service.studio.recorded.conftest import NOW
from tests.support.recorded_answers import outcome


def asked(source, question, query=None, *more):
    with source.open() as connection:
        return question(connection, read_chosen(query or {}, NOW), NOW, *more)


def compared(source, key, query=None):
    return Compared(asked(source, tally, query), key)


def answers(**counts):
    return [(verdict, {}) for verdict, count in counts.items() for _ in range(count)]


def test_shares_are_those_of_the_dashboard(kept):
    found = asked(
        kept(*answers(contradicted=2, unsupported=1, supported=9, unverified=4, abstained=8)), series, {}, None
    )
    whole = found.whole.whole
    assert (whole.records, whole.answers) == (24, 24)
    assert (whole.unfaithful.value, whole.unfaithful.n) == (3 / 12, 12)  # of judged answers
    assert (whole.unverified.value, whole.unverified.n) == (4 / 24, 24)  # of all
    assert whole.not_stopped.value == 3 / 12  # flagged, so the reader has them
    assert whole.score == pytest.approx((2 * 0.05 + 0.2 + 9 * 0.93) / 12)


def test_what_a_policy_stopped_is_not_counted_as_passed(kept):
    source = kept(("contradicted", {"action": "block"}), ("contradicted", {"action": "flag"}), ("supported", {}))
    assert asked(source, series, {}, None).whole.whole.not_stopped.value == pytest.approx(1 / 3)


def test_abandoned_streams_are_no_answers(kept):
    source = kept(("contradicted", {"action": "abandoned"}), ("supported", {}))
    assert asked(source, series, {}, None).whole.whole.answers == 1


def test_sampled_answers_stand_for_those_left_out(tmp_path, kept):
    source = kept(
        *(("supported", {"id": f"f{number:031x}"}) for number in range(1000)), *answers(contradicted=50), sample=0.2
    )
    whole = asked(source, series, {}, None).whole.whole
    assert whole.records < 320
    assert whole.answers == pytest.approx(1050, rel=0.2)
    assert whole.unfaithful.low < 50 / 1050 < whole.unfaithful.high
    assert whole.unfaithful.high - whole.unfaithful.low > 0.02


def test_what_was_pruned_by_number_is_left_out_and_said(kept):
    source = kept(*answers(contradicted=3, supported=3))
    RecordStore(source.path, days=None).prune(max_records=4)
    found = asked(source, series, {}, None)
    assert found.since == NOW - 1000 + 5
    assert found.whole.whole.records == 1


def test_a_store_without_records_has_no_series(tmp_path, kept):
    source = kept(*answers(supported=1))
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


def release(verdict, count, name, **labels):
    return [(verdict, {"labels": {"release": name, **labels}})] * count


def test_what_changed_between_two_releases(kept):
    source = kept(
        *release("contradicted", 2, "v1", topic="a"), *release("supported", 38, "v1", topic="a"),
        *release("contradicted", 2, "v1", topic="b"), *release("supported", 38, "v1", topic="b"),
        *release("contradicted", 20, "v2", topic="a"), *release("supported", 20, "v2", topic="a"),
        *release("contradicted", 2, "v2", topic="b"), *release("supported", 38, "v2", topic="b"),
        *release("contradicted", 9, "v3", topic="b"),
    )  # fmt: skip
    found = compared(source, "release").changes("v1", "v2")
    assert found.whole.unfaithful.value == pytest.approx(22 / 80 - 4 / 80)
    assert found.whole.unfaithful.clear
    assert (found.slices[0].key, found.slices[0].value) == ("topic", "a")
    by = {(change.key, change.value): change for change in found.slices}
    assert by["topic", "a"].unfaithful.value == pytest.approx(0.45)
    assert by["topic", "a"].first.unfaithful.n == 40
    assert not by["topic", "b"].unfaithful.clear
    assert by["engine", "local"].second.records == 80
    assert not any(key == "release" for key, _ in by)
    assert found.compared == len(found.slices) == 5
    assert [value.value for value in compared(source, "release").values()] == ["v1", "v2", "v3"]


def test_a_slice_that_one_release_lacks_has_no_change(kept):
    source = kept(*release("supported", 3, "v1", topic="a"), *release("contradicted", 3, "v2", topic="b"))
    by = {(c.key, c.value): c for c in compared(source, "release").changes("v1", "v2").slices}
    assert by["topic", "b"].unfaithful.value is None
    assert by["topic", "b"].first.records == 0


def test_changes_need_a_label_and_two_values(kept):
    source = kept(("supported", {}))
    for by, first, second in (("colour", "a", "b"), ("release", "v1", "v1")):
        with pytest.raises(FieldError):
            compared(source, by).changes(first, second)


def test_what_counts_in_no_rate_is_no_change(kept):
    source = kept(
        *release("contradicted", 3, "v2"), *release("supported", 3, "v1"),
        ("contradicted", {"action": "abandoned", "labels": {"release": "v2"}}),
    )  # fmt: skip
    assert compared(source, "release").changes("v1", "v2").whole.second.records == 3
    RecordStore(source.path, days=None).prune(max_records=5)  # of those before it nobody knows how many there were
    assert [(value.value, value.records) for value in compared(source, "release").values()] == [("v1", 1)]


def test_tallies_are_kept_until_something_changes_and_not_for_ever(kept):
    source = kept(*release("contradicted", 2, "v1"), *release("supported", 3, "v2"))

    def counted(query=None):
        with source.open() as connection:
            return tally_of(source, connection, read_chosen(query or {}, NOW), NOW)

    before, filtered = counted(), counted({"release": "v1"})
    assert sum(alike.part.weighed.records for alike in filtered) == 2
    assert counted() is before
    RecordStore(source.path, days=None).label(f"{1:032x}", "supported")
    assert counted() is not before
    assert sum(alike.labelled for alike in counted()) == 1
    last = counted({"release": "v1"})
    for number in range(KEPT):
        counted({"since": str(number + 1)})
    assert counted({"release": "v1"}) is not last


def test_filters_to_choose_from(kept):
    source = kept(*release("contradicted", 2, "v1"), *release("supported", 3, "v2"))
    found = asked(source, facets, {}, asked(source, tally))
    assert found.values["release"] == (("v2", 3), ("v1", 2))
    assert found.values["verdict"] == (("supported", 3), ("contradicted", 2))
    assert found.values["error_type"] == (("causal_confusion", 2),)
    assert (found.records, found.labelled, found.since) == (5, 0, NOW - 999)
    assert "model" not in found.values


def test_rates_of_100000_records_come_from_the_narrow_table_in_few_groups(many):
    statements, rows = [], 0
    with many.open() as connection:
        connection.set_trace_callback(statements.append)
        found = series(connection, read_chosen({}, NOW), NOW, "release")
        before = len(statements)
        counted = tally_of(many, connection, read_chosen({}, NOW), NOW)
        assert tally_of(many, connection, read_chosen({}, NOW), NOW) is counted  # whatever is asked of it
        both = Compared(counted, "release")
        assert facets(connection, read_chosen({}, NOW), NOW, counted).records == 100_000
        connection.set_trace_callback(None)
        assert sum("GROUP BY" in statement for statement in statements[before:]) == 1  # each is a pass through all
        assert not any("contents" in statement for statement in statements)
        assert len(statements) < 20
        for statement in statements:
            if statement.startswith("SELECT"):
                rows += len(connection.execute(statement).fetchall())
    assert rows < 2_000  # what crosses into Python
    assert found.whole.whole.records == 100_000
    lines = {line.value: line.whole.unfaithful for line in found.lines}
    assert lines["v40"].value == pytest.approx(0.06, abs=0.005)
    assert lines["v41"].low > lines["v40"].high
    change = both.changes("v40", "v41")
    assert change.slices[0].value == "billing"
    assert not {c.value: c for c in change.slices}["places"].unfaithful.clear


def test_the_generator_makes_what_the_writer_makes(kept, many):
    """Columns and texts of the store of 100,000 are those of a record that went through the writer."""
    source = kept(("contradicted", {"labels": {"release": "v41", "retriever": "bm25"}}))
    with source.open() as one, many.open() as other:
        written = one.execute("SELECT * FROM records JOIN contents USING (number)").fetchone()
        digest = "SELECT content FROM contents WHERE content = ?"
        assert other.execute(digest, (written[-1],)).fetchone()
    assert outcome("contradicted").report.findings[1].focus is not None
