"""A real guard that records, by any of its ways in."""

from __future__ import annotations

import asyncio

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.streaming import Withheld
from guardrail.telemetry import Telemetry, labels
from guardrail.telemetry.records import RecordStore
from guardrail.testing import FakeEngine

BRIDGE = Passage(id="b", title="The bridge", text="The bridge opened in 1931. It is 300 metres long.")


@pytest.fixture
def guard(store):
    return Guard(policy=Policy.repair(), telemetry=Telemetry(labels={"application": "support"}, recorder=store))


def test_the_worst_answer_is_shown_with_its_evidence(guard, store):
    with labels(topic="bridges"):
        guard.run("The bridge opened in 1971. It is 300 metres long.", [BRIDGE], question="When did it open?")
    guard.run("The bridge opened in 1931.", [BRIDGE])
    assert store.flush()
    [found] = store.worst()
    assert (found.verdict, found.action, found.policy, found.report.engine) == (
        "contradicted", "redact", "repair", "local",
    )  # fmt: skip
    assert found.labels == {"application": "support", "topic": "bridges"}
    [fault] = found.faults
    assert (fault.text, fault.evidence[0].quote) == ("The bridge opened in 1971.", "The bridge opened in 1931.")
    assert found.text == "It is 300 metres long."
    assert found.seconds > 0
    assert [record.verdict for record in store.records()] == ["contradicted", "supported"]


def test_checks_streams_and_async_calls_are_recorded_once_each(guard, store):
    guard.check("The bridge opened in 1971.", [BRIDGE])
    asyncio.run(guard.arun("The bridge opened in 1981.", [BRIDGE]))
    for _ in guard.stream(["The bridge opened ", "in 1991."], [BRIDGE]):
        pass
    store.flush()
    assert [(r.answer[-5:-1], r.action) for r in store.records()] == [
        ("1971", "none"),
        ("1981", "block"),
        ("1991", "block"),
    ]


WRONG = ["It is 300 metres long. ", "The bridge opened in 1971. ", "Nobody in the town knows who built it and when. "]


def test_an_abandoned_stream_is_recorded_as_far_as_it_was_checked(store):
    engine, policy = FakeEngine({"1971": "contradicted"}), Policy(actions={"contradicted": "redact"}, deadline=None)
    guard = Guard(policy=policy, engine=engine, telemetry=Telemetry(recorder=store))
    stream = guard.stream([*WRONG, "More."], [BRIDGE], question="When did it open?", mode="sentence")
    while not isinstance(next(stream), Withheld):
        pass
    stream.close()
    assert store.flush()
    [found] = store.worst()
    assert (found.action, found.verdict, found.question, found.text) == (
        "abandoned", "contradicted", "When did it open?", None,
    )  # fmt: skip
    assert found.faults[0].text == "The bridge opened in 1971."
    assert store.stats().records == 0  # it is no answer


@pytest.mark.parametrize("mode", ["buffer", "observe"])
def test_an_abandoned_stream_that_nobody_checked_is_sampled_and_unverified(path, mode):
    async def leave(store):
        async def deltas():
            yield WRONG[0]
            read.set()
            await asyncio.Event().wait()

        read = asyncio.Event()
        guard = Guard(telemetry=Telemetry(recorder=store))
        reading = asyncio.ensure_future(_all(guard.astream(deltas(), [BRIDGE], mode=mode)))
        await read.wait()
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    with RecordStore(path, sample=1.0) as store, RecordStore(path, sample=0.0) as sampling:
        for one in (store, sampling):
            asyncio.run(leave(one))
            assert one.flush()
        assert sampling.counts == {"sampled_out": 1}
        [found] = store.records()
    assert (found.action, found.verdict, found.passages) == ("abandoned", "unverified", (BRIDGE,))
    assert found.answer == WRONG[0]
    assert "left" in found.report.reason


async def _all(stream):
    return [event async for event in stream]


def test_a_regenerated_answer_is_recorded_with_the_first_one(guard, store):
    guarded = guard.run(
        "The bridge opened in 1971.", [BRIDGE], regenerate=lambda feedback: "The bridge opened in 1931."
    )
    assert guarded.text == "The bridge opened in 1931."
    store.flush()
    [found] = store.records()
    assert (found.answer, found.verdict, found.action) == ("The bridge opened in 1971.", "contradicted", "regenerate")
    assert (found.text, found.replacement.verdict, found.attempts) == (guarded.text, "supported", 2)


def test_a_store_in_trouble_changes_no_decision(guard, store, path):
    path.mkdir()
    guarded = guard.run("The bridge opened in 1971. It is 300 metres long.", [BRIDGE])
    assert guarded.text == "It is 300 metres long."
    path.rmdir()
    assert store.flush(10)
    assert store.count() == 1


def test_records_are_counted_in_the_metric(outcome, path, monkeypatch):
    metrics = pytest.importorskip("opentelemetry.sdk.metrics")
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    from guardrail.telemetry.records import writer

    reader = InMemoryMetricReader()
    meter = metrics.MeterProvider([reader]).get_meter("guardrail")
    monkeypatch.setattr(writer, "_records", meter.create_counter("guardrail.records", unit="{record}"))
    with RecordStore(path, sample=0.0) as store:
        store.record(outcome())
        store.record(outcome("supported"))
        store.flush()
    [scope] = reader.get_metrics_data().resource_metrics[0].scope_metrics
    points = {point.attributes["outcome"]: point.value for point in scope.metrics[0].data.data_points}
    assert points == {"written": 1, "sampled_out": 1}
