"""A cache on disk."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.caches.disk import DiskCache


@pytest.fixture
def disk(tmp_path):
    cache = DiskCache(tmp_path / "cache")
    yield cache
    cache.close()
