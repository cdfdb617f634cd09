"""Rates out of the text of /metrics, where there is no Prometheus to keep its history."""

from __future__ import annotations

import time
from collections import deque
from itertools import pairwise
from math import inf

from http_calls import get
from prometheus_client.parser import text_string_to_metric_families
from reading import UNFAITHFUL, Counts, Reading

_LATELY = 5.0


class Exposition:
    """Reads a page of metrics again and again. Alerts need a Prometheus: there are none here."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._read: deque[tuple[float, dict[str, Counts]]] = deque([(time.monotonic(), {})])

    def now(self) -> Reading:
        """Read the page, and compare it with what it said about five seconds before."""
        self._read.append((time.monotonic(), self._page()))
        while len(self._read) > 2 and self._read[-1][0] - self._read[1][0] >= _LATELY:
            self._read.popleft()
        (before, old), (at, new) = self._read[0], self._read[-1]
        answers = {verdict: _sum(new, verdict) - _sum(old, verdict) for verdict in (None, *UNFAITHFUL)}
        every = answers.pop(None)
        return Reading(
            per_second=every / (at - before),
            unfaithful=sum(answers.values()) / every if every else None,
            p95=_p95(old, new),
        )

    def answers(self) -> Counts:
        """How many answers there were so far, by labels."""
        return self._page().get("guardrail_answers_total", [])

    def _page(self) -> dict[str, Counts]:
        samples: dict[str, Counts] = {}
        for family in text_string_to_metric_families(get(self.url)):
            for sample in family.samples:
                samples.setdefault(sample.name, []).append((sample.labels, sample.value))
        return samples


def _sum(page: dict[str, Counts], verdict: str | None) -> float:
    counts = page.get("guardrail_answers_total", [])
    return sum(value for labels, value in counts if verdict in (None, labels["verdict"]))


def _p95(old: dict[str, Counts], new: dict[str, Counts]) -> float | None:
    """As PromQL's histogram_quantile: even within a bucket; the last bucket has no end."""
    upto: dict[float, float] = {0.0: 0.0}
    for page, sign in ((new, 1), (old, -1)):
        for labels, value in page.get("guardrail_check_duration_seconds_bucket", []):
            bound = float(labels["le"])
            upto[bound] = upto.get(bound, 0.0) + sign * value
    wanted = 0.95 * max(upto.values())
    for (start, below), (end, count) in pairwise(sorted(upto.items())):
        if below < wanted <= count:
            return start if end == inf else start + (end - start) * (wanted - below) / (count - below)
    return None
