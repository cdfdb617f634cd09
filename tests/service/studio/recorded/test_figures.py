"""Rates, changes and series: the dashboard's definitions over what the store kept."""

from __future__ import annotations

import pytest

from guardrail.service.studio.recorded.changes import Compared
from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.facets import facets
from guardrail.service.studio.recorded.series import series
from guardrail.service.studio.recorded.tally import tally_of
from guardrail.telemetry.records import RecordStore
from tests.service.studio.recorded.conftest import NOW, asked
from tests.support.recorded_answers import outcome


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
