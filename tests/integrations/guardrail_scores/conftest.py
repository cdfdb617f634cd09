"""A server that takes scores."""

from __future__ import annotations

import pytest

from tests.support.score_server import score_server


@pytest.fixture
def taker():
    with score_server() as server:
        yield server
