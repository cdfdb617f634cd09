"""Services for the tests of this folder."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("pydantic_settings")

from tests.support import service_engines
from tests.support.services import served


@pytest.fixture(scope="module")
def plain():
    """A service with standard settings and a scripted engine."""
    with served() as one:
        yield one


@pytest.fixture
def gate(monkeypatch):
    """An engine that waits for a gate; open at the end."""
    engine = service_engines.GatedEngine()
    monkeypatch.setattr(service_engines, "GATED", engine)
    yield engine
    engine.open.set()
