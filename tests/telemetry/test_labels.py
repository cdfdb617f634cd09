"""Labels: few, named, bounded."""

import asyncio
import contextvars

import pytest

from guardrail import ConfigurationError, Guard, Passage
from guardrail.telemetry import Telemetry, labels
from guardrail.telemetry.labels import Bounds
from guardrail.testing import FakeEngine

PASSAGES = [Passage(id="p1", text="The dam was closed in May.")]


def test_labels_of_the_guard_and_of_the_block(watched):
    guard = Guard(
        engine=FakeEngine(),
        telemetry=watched.set_up(labels={"application": "support", "retriever": "bm25", "topic": ""}),
    )
    with labels(topic="dams", retriever="dense"):
        guard.run("The dam was closed.", PASSAGES)
        with labels(topic="locks"):
            guard.run("The dam was closed.", PASSAGES)
    guard.run("The dam was closed.", PASSAGES)
    told = [dict(p.attributes) for p in watched.points("guardrail.answers")]
    assert [{k: t.get(k) for k in ("application", "retriever", "topic")} for t in told] == [
        {"application": "support", "retriever": "dense", "topic": "dams"},
        {"application": "support", "retriever": "dense", "topic": "locks"},
        {"application": "support", "retriever": "bm25", "topic": None},
    ]
    assert watched.spans("guardrail.check")[0].attributes["guardrail.label.topic"] == "dams"


def test_labels_belong_to_their_task(watched):
    guard = Guard(engine=FakeEngine(seconds=0.01), telemetry=watched.settings)

    async def ask(topic):
        with labels(topic=topic):
            await guard.arun("The dam was closed.", PASSAGES)

    async def body():
        await asyncio.gather(*(ask(f"t{n % 4}") for n in range(16)))

    asyncio.run(body())
    assert {p.attributes["topic"]: p.value for p in watched.points("guardrail.answers")} == dict.fromkeys(
        ("t0", "t1", "t2", "t3"), 4
    )


def test_a_streams_labels_are_those_of_the_call(watched):
    """It is read later, perhaps in another context."""
    guard = Guard(engine=FakeEngine(), telemetry=watched.settings)
    with labels(release="v7"):
        events = guard.stream(iter(["The dam was closed."]), PASSAGES)
    contextvars.Context().run(list, events)
    assert watched.total("guardrail.answers", release="v7") == 1


@pytest.mark.parametrize(
    ("given", "said"), [({"tpoic": "x"}, "Did you mean 'topic'"), ({"topic": 3}, "must be a str, got int")]
)
def test_a_wrong_label_says_so(given, said):
    with pytest.raises(ConfigurationError, match=said):
        Telemetry(labels=given)


def test_a_wrong_value_in_a_block_says_so():
    with pytest.raises(ConfigurationError, match="label 'release' must be a str, got float"), labels(release=1.5):
        pass


def test_values_are_bounded(caplog):
    bounds = Bounds(most=3)
    assert [bounds.bound("topic", v) for v in ("a", "b", "c", "d", "a", "e")] == ["a", "b", "c", "other", "a", "other"]
    assert bounds.bound("model", "d") == "d"
    assert caplog.text.count("label topic has had more than 3 values") == 1


def test_a_long_value_is_cut(watched):
    guard = Guard(engine=FakeEngine(), telemetry=watched.set_up(labels={"topic": "x" * 5_000}))
    guard.run("The dam was closed.", PASSAGES)
    assert len(watched.points("guardrail.answers")[0].attributes["topic"]) == 100
