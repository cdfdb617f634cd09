"""The cache in memory, limits of all caches, and the protocol that they have."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from guardrail.engines.llm.caches.disk import DiskCache
from guardrail.engines.llm.caches.memory import Cache, MemoryCache
from guardrail.engines.llm.caches.redis import RedisCache
from guardrail.errors import ConfigurationError


def test_memory_forgets_what_was_not_used_for_longest():
    """Least recently used, and never more than its entries."""
    cache = MemoryCache(entries=2)
    cache.set("a", "1")
    cache.set("b", "2")
    assert cache.get("a") == "1"
    cache.set("c", "3")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == ("1", None, "3")


def test_memory_is_shared_by_threads():
    """cachetools alone breaks when threads evict at once."""
    cache = MemoryCache(entries=8)

    def work(number):
        for step in range(500):
            key = str((number * step) % 40)
            cache.set(key, key)
            assert cache.get(key) in {key, None}

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


@pytest.mark.parametrize("entries", [0, -1, True, 1.5])
def test_limits_that_hold_nothing_are_refused(entries, tmp_path):
    """The caller's mistake, said at once."""
    with pytest.raises(ConfigurationError, match="entries"):
        MemoryCache(entries=entries)
    with pytest.raises(ConfigurationError, match="entries"):
        DiskCache(tmp_path, entries=entries)
    for age in (0, float("nan"), float("inf")):
        with pytest.raises(ConfigurationError, match="max_age"):
            DiskCache(tmp_path, max_age=age)


def test_all_caches_have_the_protocol(disk):
    """What the engine asks for."""
    redis = RedisCache("redis://127.0.0.1:1")
    for cache in (MemoryCache(), disk, redis):
        assert isinstance(cache, Cache)
    redis.close()
