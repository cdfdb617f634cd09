"""What became of the outcomes that a store was given: counted here and in the metric ``guardrail.records``."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import Literal

from opentelemetry import metrics

Fate = Literal["written", "sampled_out", "dropped", "failed"]

_log = logging.getLogger(__name__)
_records = metrics.get_meter("guardrail").create_counter(
    "guardrail.records", unit="{record}", description="Records by what became of them"
)


class Tally:
    """Counts of this process."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.RLock()  # a signal handler may come in between

    def add(self, fate: Fate, number: int = 1) -> None:
        """Count; a broken metrics SDK changes nothing."""
        with self._lock:
            self._counts[fate] += number
        try:
            _records.add(number, {"outcome": fate})
        except Exception as error:
            _log.debug("not counted", exc_info=error)

    def counts(self) -> dict[str, int]:
        """How many by fate, so far."""
        with self._lock:
            return dict(self._counts)
