"""A store that is down must not be asked for every verdict: after a failure it is left alone for some seconds."""

from __future__ import annotations

import logging
import time

_log = logging.getLogger(__name__)


class Outage:
    """Remembers that a store failed; used by any thread.

    Args:
        store: What failed, for the log.
        seconds: How long to leave it alone after a failure.
    """

    __slots__ = ("_announced", "_seconds", "_store", "_until")

    def __init__(self, store: str, seconds: float) -> None:
        self._store = store
        self._seconds = seconds
        self._until = 0.0
        self._announced = False

    @property
    def lasting(self) -> bool:
        """Whether the store is to be left alone now."""
        return time.monotonic() < self._until

    def begin(self, error: Exception) -> None:
        """The store failed. Logged once until it works again; the kind of error only, as messages may hold secrets."""
        self._until = time.monotonic() + self._seconds
        if not self._announced:
            self._announced = True
            _log.warning(
                "%s failed (%s): no verdicts are remembered there; tried again every %g s",
                self._store, type(error).__name__, self._seconds,
            )  # fmt: skip

    def end(self) -> None:
        """The store worked."""
        if self._announced:
            self._announced = False
            _log.warning("%s works again", self._store)
