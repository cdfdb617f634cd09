"""Metrics of the service itself."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.service.measures import Measures
from tests.support.services import ENGINES, served, wait_until


def test_requests_are_counted(watched, monkeypatch):
    from opentelemetry import metrics

    def get_meter(name, version="", meter_provider=None):
        return (meter_provider or watched.meters).get_meter(name, version)

    monkeypatch.setattr(metrics, "get_meter", get_meter)
    with served(guards={"default": {"engine": ENGINES + "fake"}}) as one:
        one.post("/v1/check")
        one.get("/nowhere")
        wait_until(lambda: watched.total("guardrail.service.requests", route="none", status="404") == 1)
    assert watched.total("guardrail.service.requests", route="/v1/check", status="200") == 1
    assert watched.count("guardrail.service.wait") == 1
    assert watched.total("guardrail.service.running") == 0
    assert watched.total("guardrail.service.waiting") == 0


def test_a_request_whose_client_left_counts_apart(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from opentelemetry import metrics

    real = watched.meters.get_meter
    monkeypatch.setattr(metrics, "get_meter", lambda name, version="", provider=None: real(name, version))
    measures = Measures()
    measures.request("/v1/check", 0, 0.5)
    measures.request("/v1/check", 503, 0.1)
    for change in (1, 1, -1):
        measures.waiting(change)
        measures.running(-change)
    measures.reload("failed")
    measures.replaced()
    assert watched.total("guardrail.service.requests", route="/v1/check", status="left") == 1
    assert watched.total("guardrail.service.requests", status="503") == 1
    assert watched.count("guardrail.service.request.duration", route="/v1/check") == 2
    assert (watched.total("guardrail.service.waiting"), watched.total("guardrail.service.running")) == (1, -1)
    assert watched.total("guardrail.service.reloads", outcome="failed") == 1
    assert watched.total("guardrail.service.replaced") == 1
