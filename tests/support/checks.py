"""One answer, engines that are out of the ordinary, and checks in both kinds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from guardrail.check.contract import Engine
from guardrail.testing import FakeEngine
from guardrail.types import SupportMatrix

ANSWER = "The dam is 64 metres high. It was built by Rita Halloway. The repair took eleven weeks."


PASSAGES = ["The dam is 64 metres high.", "The repair took eleven weeks."]


VERDICTS = {"Halloway": "contradicted"}


@dataclass(frozen=True)
class AsyncFake:
    """An engine that can only be awaited."""

    inner: Engine
    wait: float = 0.0
    name: str = "async-fake"

    async def averify(self, request):
        await asyncio.sleep(self.wait)
        return self.inner.verify(request)


def check_both(guard, answer=ANSWER, passages=PASSAGES):
    """Sync and async report."""
    return guard.check(answer, passages), asyncio.run(guard.acheck(answer, passages))


def verdicts(report):
    return [finding.verdict for finding in report.findings]


@dataclass(frozen=True)
class Warped:
    """An engine whose honest reply is spoilt by ``spoil``."""

    spoil: object
    name: str = "warped"

    def verify(self, request):
        return SupportMatrix(rows=tuple(self.spoil(FakeEngine().verify(request).rows)))
