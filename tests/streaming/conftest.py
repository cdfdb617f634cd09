"""An answer about a dam, sources of its deltas, and streams over them. Helpers are for the whole session: they are pure."""

from __future__ import annotations

import asyncio
import random

import pytest

from guardrail.streaming import Delta, aguarded_stream, guarded_stream

PASSAGES = ("Larkmoor Dam was closed in 2021 after divers found a crack in the spillway gate.",)
DAM = (
    "Larkmoor Dam was closed to all visitors on 4 May 2021. "
    "Divers found a deep crack in the old spillway gate. "
    "The mayor of Fennick secretly ordered the closure himself. "
    "The long repair took eleven weeks and cost 2.3 million euros."
)


class Source:
    """Deltas that say how far they were read, and whether they were closed."""

    def __init__(self, deltas, error=None):
        self.deltas, self.error = list(deltas), error
        self.read = 0
        self.closed = False

    def sync(self):
        try:
            for delta in self.deltas:
                self.read += 1
                yield delta
            if self.error:
                raise self.error
        finally:
            self.closed = True

    async def stream(self):
        try:
            for delta in self.deltas:
                self.read += 1
                yield delta
                await asyncio.sleep(0)
            if self.error:
                raise self.error
        finally:
            self.closed = True


def _words(text):
    return [piece + " " for piece in text.split(" ")[:-1]] + text.split(" ")[-1:]


def _cut(text, seed):
    rng, pieces = random.Random(seed), []
    while text:
        size = rng.choice((1, 2, 3, 5, 9, 30, 200))
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def _joined(events):
    return "".join(e.text for e in events if isinstance(e, Delta))


def _collect(guard, deltas, passages=PASSAGES, **options):
    return list(guarded_stream(guard, deltas, passages, **options))


async def _acollect(guard, deltas, passages=PASSAGES, **options):
    return [event async for event in aguarded_stream(guard, deltas, passages, **options)]


def _each_way(guard, source_of, **options):
    """Events of the sync and of the async stream, each over a source of its own."""
    sync, awaited = source_of(), source_of()
    yield _collect(guard, sync.sync(), **options), sync
    yield asyncio.run(_acollect(guard, awaited.stream(), **options)), awaited


@pytest.fixture(scope="session")
def passages():
    return PASSAGES


@pytest.fixture(scope="session")
def dam():
    return DAM


@pytest.fixture(scope="session")
def source_of():
    return Source


@pytest.fixture(scope="session")
def words():
    return _words


@pytest.fixture(scope="session")
def cut():
    return _cut


@pytest.fixture(scope="session")
def joined():
    return _joined


@pytest.fixture(scope="session")
def collect():
    return _collect


@pytest.fixture(scope="session")
def acollect():
    return _acollect


@pytest.fixture(scope="session")
def each_way():
    return _each_way
