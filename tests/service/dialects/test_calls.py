"""Kept calls: joined, bounded, apart."""

import asyncio
import stat

import pytest

from guardrail import ConfigurationError, Passage
from guardrail.service.dialects.calls import Call, CallStore
from guardrail.service.keys import Client, client

CALL = Call((Passage(text="The dam is 64 metres high.", id="a", title="Dams"),), "How high is it?")


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, clock):
    made = CallStore(tmp_path / "calls.db", seconds=60, most=100, most_bytes=10_000, clock=clock)
    yield made
    made.close()


def keep(store, ident, call=CALL):
    asyncio.run(store.keep("litellm", [ident], call))


def find(store, *idents, kind="litellm"):
    return asyncio.run(store.find(kind, idents))


def test_found_by_any_of_its_ids(store):
    asyncio.run(store.keep("litellm", ["call", "trace"], CALL))
    assert find(store, "call") == find(store, "unknown", "trace") == CALL
    assert find(store, "unknown") is None
    assert find(store, "call", kind="agentgateway") is None


def test_another_worker_finds_it(store, clock):
    keep(store, "call")
    other = CallStore(store.path, clock=clock)
    try:
        assert find(other, "call") == CALL
    finally:
        other.close()


def test_another_client_does_not(store):
    keep(store, "call")
    token = client.set(Client(name="stranger"))
    try:
        assert find(store, "call") is None
    finally:
        client.reset(token)


def test_forgotten_with_age(store, clock):
    keep(store, "call")
    clock.now += 61
    assert find(store, "call") is None
    for number in range(64):
        keep(store, f"later{number}")
    assert store.count() <= 64 + 0  # the old one is gone from the file, too


def test_bounded_in_number_and_bytes(tmp_path, clock):
    few = CallStore(tmp_path / "few.db", most=10, clock=clock)
    small = CallStore(tmp_path / "small.db", most_bytes=2_000, clock=clock)
    try:
        for number in range(200):
            clock.now += 1
            for store in (few, small):
                keep(store, str(number))
        size = len(CALL.to_json())
        assert few.count() <= 10 + 64
        assert small.count() <= 2_000 // size + 64
        assert find(few, "199") == find(small, "199") == CALL
        assert find(few, "0") is find(small, "0") is None
    finally:
        few.close()
        small.close()


def test_only_the_longest_text_counts(store):
    assert asyncio.run(store.longest("litellm", "call#0", 10))
    assert asyncio.run(store.longest("litellm", "call#0", 12))
    assert not asyncio.run(store.longest("litellm", "call#0", 11))


def test_the_file_is_its_owners_alone(store):
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_no_ids_and_no_texts_of_ids_in_the_file(store):
    keep(store, "secret-call-id")
    assert b"secret-call-id" not in store.path.read_bytes()


def test_a_file_that_cannot_be(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot keep calls"):
        CallStore(tmp_path / "missing" / "calls.db")
