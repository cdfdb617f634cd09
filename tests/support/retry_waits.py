"""Waits between attempts, noted instead of waited for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import tenacity

from guardrail.engines.llm.requests import retries


def noted_waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds of each wait before another attempt, in threads and in tasks, in the order of the waits."""
    waits: list[float] = []

    async def asleep(seconds: float) -> None:
        waits.append(seconds)

    def retrying(*, sleep: object, **options: Any) -> tenacity.Retrying:
        return tenacity.Retrying(sleep=waits.append, **options)

    def aretrying(*, sleep: object, **options: Any) -> tenacity.AsyncRetrying:
        return tenacity.AsyncRetrying(sleep=asleep, **options)

    replaced = {**vars(tenacity), "Retrying": retrying, "AsyncRetrying": aretrying}
    monkeypatch.setattr(retries, "tenacity", SimpleNamespace(**replaced))
    return waits
