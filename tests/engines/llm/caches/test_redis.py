"""The cache in Redis: what is remembered and forgotten, and that a server that is down costs nothing."""

from __future__ import annotations

import logging
import socket
import time
from types import SimpleNamespace

import pytest

from guardrail.engines.llm.caches import memory
from guardrail.engines.llm.caches.redis import RedisCache
from guardrail.errors import ConfigurationError
from tests.support.redis_server import needs_redis, running_redis

pytestmark = pytest.mark.clock

TEXT = '{"verdict": "supported", "quote": "大坝高六十四米 \\" \u2028 \x00 🙂"}'


@pytest.fixture
def redis_url():
    """See running_redis."""
    with running_redis() as found:
        yield found


@needs_redis
def test_redis_remembers_under_its_prefix(redis_url):
    """Two applications on one server do not see each other's entries; any text comes back as it was."""
    url, _ = redis_url
    ours, theirs, same = RedisCache(url), RedisCache(url, prefix="other:"), RedisCache(url)
    ours.set("k", TEXT)
    assert (ours.get("k"), same.get("k"), theirs.get("k"), ours.get("x")) == (TEXT, TEXT, None, None)
    ours.set("bad", "\ud800")
    assert ours.get("bad") is None
    for cache in (ours, theirs, same):
        cache.close()


@needs_redis
def test_redis_forgets_by_age(redis_url):
    """The server does it."""
    cache = RedisCache(redis_url[0], max_age=0.1)
    cache.set("k", "v")
    assert cache.get("k") == "v"
    time.sleep(0.2)
    assert cache.get("k") is None
    cache.close()


@pytest.fixture
def clock(monkeypatch):
    """The clock by which an outage ends: it stands still."""
    found = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(memory, "time", SimpleNamespace(monotonic=lambda: found.now))
    return found


def noted(cache, monkeypatch):
    """What the cache asks its server, as it does."""
    asked, real = [], cache._client.execute_command

    def execute(*command, **options):
        asked.append(command[0])
        return real(*command, **options)

    monkeypatch.setattr(cache._client, "execute_command", execute)
    return asked


@needs_redis
def test_a_redis_that_dies_and_comes_back(redis_url, caplog, clock, monkeypatch):
    """Misses while it is away, at once after the first; after the pause it is used again."""
    url, server = redis_url
    cache = RedisCache(url, outage=10.0)
    cache.set("k", "v")
    asked = noted(cache, monkeypatch)
    server.send_signal(19)  # SIGSTOP: it accepts and never answers
    with caplog.at_level(logging.WARNING):
        assert [cache.get("k") for _ in range(50)] == [None] * 50
    assert asked == ["GET"]
    assert len(caplog.records) == 1
    server.send_signal(18)
    for _ in range(100):  # it may be slow to wake
        clock.now += 10.0
        if cache.get("k") == "v":
            break
    assert cache.get("k") == "v"
    cache.close()


def test_a_dead_redis_is_asked_once(caplog, clock, monkeypatch):
    """Nobody listens: every question is a miss, logged once, without address or key in the log."""
    cache = RedisCache("redis://:secret@127.0.0.1:1/0")
    asked = noted(cache, monkeypatch)
    with caplog.at_level(logging.WARNING):
        for number in range(100):
            cache.set(str(number), "v")
            assert cache.get(str(number)) is None
    assert asked == ["SET"]
    assert len(caplog.records) == 1
    assert "secret" not in caplog.text
    cache.close()


def test_a_wrong_address_is_refused_without_its_password():
    """The caller's mistake; the message must not hold the secret."""
    with pytest.raises(ConfigurationError, match="redis://host") as error:
        RedisCache("htp://:secret@host")
    assert "secret" not in str(error.value)


def test_a_silent_redis_is_waited_for_once(clock, monkeypatch):
    """A server that accepts and never answers costs one timeout, not one per question."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        cache = RedisCache(f"redis://127.0.0.1:{silent.getsockname()[1]}", timeout=0.5)
        asked = noted(cache, monkeypatch)
        assert [cache.get("k") for _ in range(200)] == [None] * 200
        assert asked == ["GET"]
        cache.close()
