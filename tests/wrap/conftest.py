"""Clients that a test makes are closed after it; left to the garbage collector, their sockets warn in another test."""

from __future__ import annotations

import openai
import pytest


@pytest.fixture(autouse=True)
def closed_clients(monkeypatch):
    """Every synchronous client that a test makes."""
    made = []
    init = openai.OpenAI.__init__

    def noted(self, *given, **named):
        init(self, *given, **named)
        made.append(self)

    monkeypatch.setattr(openai.OpenAI, "__init__", noted)
    yield
    for client in made:
        client.close()
