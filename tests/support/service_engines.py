"""Engines for tests of the service, named in settings as ``python:tests.support.service_engines:<function>``."""

from __future__ import annotations

import threading

from guardrail.check.contract import VerifyRequest
from guardrail.testing import FakeEngine
from guardrail.types import SupportMatrix


class GatedEngine:
    """Waits for a gate wherever the answer says so; counts who is inside."""

    name = "gated"

    def __init__(self):
        self.open = threading.Event()
        self.entered = threading.Semaphore(0)
        self.order = []
        self._inner = FakeEngine(verdicts={"wrong": "contradicted"})

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        text = request.segments[0].text
        if "wait" in text:
            self.entered.release()
            assert self.open.wait(30)
        self.order.append(text)
        return self._inner.verify(request)

    def wait_until_entered(self):
        assert self.entered.acquire(timeout=30)


class AwaitedEngine:
    """An engine that can only be awaited."""

    name = "awaited"

    async def averify(self, request: VerifyRequest) -> SupportMatrix:
        return FakeEngine(verdicts={"wrong": "contradicted"}).verify(request)


GATED = GatedEngine()


def gated():
    return GATED


def awaited():
    return AwaitedEngine()


def fake():
    return FakeEngine(verdicts={"wrong": "contradicted"})


def broken():
    raise RuntimeError("no such model")
