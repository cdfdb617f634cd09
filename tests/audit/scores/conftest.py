"""An audit of traces, and a server that takes their scores."""

from __future__ import annotations

import pytest

from tests.support.audited import audit_traces
from tests.support.score_server import score_server


@pytest.fixture
def taker():
    with score_server() as server:
        yield server


@pytest.fixture
def audited(tmp_path):
    return audit_traces(tmp_path)
