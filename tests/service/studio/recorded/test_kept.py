"""Counts that are kept: never another number than a count of all records anew."""

from __future__ import annotations

import threading

import pytest

from guardrail.service.studio.labelling import queue
from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.figures import figures, kept_parts, parts
from guardrail.service.studio.recorded.kept import kept
from guardrail.service.studio.recorded.tally import tally, tally_of
from guardrail.telemetry.records import RecordStore
from guardrail.telemetry.records.database import open_store
from tests.service.studio.recorded.conftest import NOW
from tests.support.recorded_answers import write_store

CHOSEN = read_chosen({}, NOW)
BY_POLICY = [("policy", [])]


@pytest.fixture
def source(kept):
    """Of forty records, two of them of one answer."""
    made = kept(*[("contradicted", {}), ("supported", {}), ("unverified", {}), ("supported", {})] * 10)
    alter(made, "UPDATE records SET digest = 'one' WHERE number IN (3, 4)")
    return made


def alter(source, statement, *values):
    with open_store(source.path, writes=True) as connection:
        connection.execute(statement, values)


def write(source, records):
    write_store(source.path, records, now=NOW, seed=records)


def counted(source, chosen=CHOSEN):
    """What is kept, after it was seen to be what a count anew gives."""
    with source.open() as connection:
        own = tally_of(source, connection, chosen, NOW)
        anew = tally(connection, chosen, NOW)
        assert sorted(map(by_hand, own)) == sorted(map(by_hand, anew))
        rates = figures(kept_parts(source, connection, chosen, NOW, BY_POLICY))
        true = figures(parts(connection, chosen, NOW, BY_POLICY))
        assert rates.records == true.records
        assert rates.unfaithful.value == pytest.approx(true.unfaithful.value)
        assert rates.score == pytest.approx(true.score)
        known, drawn = queue.drawable_of(source, connection), queue.drawable(connection)
        assert known.numbers.tolist() == drawn.numbers.tolist()
        assert known.weights.tolist() == pytest.approx(drawn.weights.tolist())
    return own


def by_hand(alike):
    part = alike.part
    times = (part.since, part.until)
    many = (part.weighed.records, round(part.weighed.answers, 6), round(part.weighed.squares, 6))
    return (sorted(alike.labels.items()), alike.error_types, part.verdict, part.action, many, times, alike.labelled)


def passes(source, ask):
    """What ``ask`` reads of all records: the statements that group them, with their first number."""
    said = []
    with source.open() as connection:
        connection.set_trace_callback(said.append)
        ask(connection)
        connection.set_trace_callback(None)
    return [statement for statement in said if "GROUP BY" in statement]


def test_new_records_are_added_to_what_was_counted(source):
    counted(source)
    write(source, 300)
    (statement,) = passes(source, lambda connection: tally_of(source, connection, CHOSEN, NOW))
    assert "number > 40" in statement
    write(source, 50)
    assert sum(alike.part.weighed.records for alike in counted(source)) == 390


def test_a_filter_holds_for_what_is_added(source):
    chosen = read_chosen({"verdict": "supported"}, NOW)
    counted(source, chosen)
    write(source, 300)
    assert {alike.part.verdict for alike in counted(source, chosen)} == {"supported"}


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM records WHERE number = 7",
        "DELETE FROM records WHERE number = 40",
        "UPDATE records SET label = 'supported', labelled_at = 5 WHERE number = 2",
        "UPDATE records SET id = 'another', verdict = 'supported' WHERE number = 40",  # its number was given again
    ],
)
@pytest.mark.parametrize("seen", [True, False])
def test_whatever_changed_is_counted_anew(source, statement, seen):
    counted(source)
    alter(source, statement)
    alter(source, "DELETE FROM contents WHERE number NOT IN (SELECT number FROM records)")
    if seen:
        counted(source)
    write(source, 20)
    counted(source)


def test_what_pruning_leaves_uncounted_is_counted_anew(source):
    counted(source)
    write(source, 20)
    RecordStore(source.path, days=None).prune(max_records=30)
    counted(source)


def test_a_label_leaves_what_does_not_count_labels(source):
    labelled = read_chosen({"labelled": "yes"}, NOW)

    def rates(chosen):
        with source.open() as connection:
            return kept_parts(source, connection, chosen, NOW, BY_POLICY)

    before, drawable, none = rates(CHOSEN), drawable_of(source), rates(labelled)
    RecordStore(source.path, days=None).label(f"{1:032x}", "supported")
    assert rates(CHOSEN) is before
    assert drawable_of(source) is drawable
    assert none == []
    assert sum(part.weighed.records for part in rates(labelled)) == 1
    assert sum(alike.labelled for alike in counted(source)) == 1


def drawable_of(source):
    with source.open() as connection:
        return queue.drawable_of(source, connection)


def test_two_at_a_time_share_one_count(source):
    began, end, made = threading.Event(), threading.Event(), []

    def count(stretch):
        made.append(stretch)
        began.set()
        assert end.wait(600)
        return [len(made)]

    def ask():
        with source.open() as connection:
            found.append(kept(source, connection, "shared", count, lambda one, other: one + other))

    found = []
    askers = [threading.Thread(target=ask) for _ in range(2)]
    askers[0].start()
    assert began.wait(600)
    askers[1].start()
    end.set()
    for asker in askers:
        asker.join()
    assert found == [[1], [1]]
    assert len(made) == 1


def test_what_is_large_is_not_kept(source):
    made = []

    def ask():
        with source.open() as connection:
            return kept(source, connection, "large", lambda stretch: made.append(stretch) or [1, 2, 3], list, largest=2)

    assert ask() == ask() == [1, 2, 3]
    assert len(made) == 2
