"""Where the LLM engine remembers what it was told: texts by key. In memory here; on disk and in Redis beside it.

A key holds hashes of the prompt, the model, the segment and the passages, so an entry never goes stale by itself. A
cache may forget at any time and never raises while in use: one that is broken is a miss.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from guardrail.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from cachetools import LRUCache

_log = logging.getLogger(__name__)


@runtime_checkable
class Cache(Protocol):
    """Texts by key; used by any thread, several at once."""

    def get(self, key: str) -> str | None:
        """The text, or None where it is not known (any more)."""
        ...

    def set(self, key: str, value: str) -> None:
        """Remember a text; what was there under the key is replaced."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class MemoryCache:
    """The default: a dictionary of this process that forgets what was not used for longest.

    Attributes:
        entries: At most so many texts (about 1 kB each).

    Raises:
        ConfigurationError: ``entries`` is not a positive number.
        MissingExtraError: cachetools is not installed.
    """

    entries: int = 10_000
    _texts: LRUCache[str, str] = field(init=False, repr=False)
    _lock: threading.Lock = field(init=False, repr=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        refuse_limits(self.entries, None)
        try:
            from cachetools import LRUCache
        except ImportError as error:
            raise MissingExtraError('the cache needs cachetools: pip install "rag-guardrail[llm]"') from error
        object.__setattr__(self, "_texts", LRUCache(self.entries))

    def get(self, key: str) -> str | None:
        """See Cache.get."""
        with self._lock:
            text: str | None = self._texts.get(key)
        return text

    def set(self, key: str, value: str) -> None:
        """See Cache.set."""
        with self._lock:
            self._texts[key] = value


def refuse_limits(entries: int, max_age: float | None) -> None:
    """Raise ConfigurationError for limits under which a cache could hold nothing."""
    if isinstance(entries, bool) or not isinstance(entries, int) or entries < 1:
        raise ConfigurationError(f"entries of a cache must be a whole number from 1 on, got {entries!r}.")
    if max_age is not None and not (isinstance(max_age, (int, float)) and 0 < max_age < math.inf):
        raise ConfigurationError(f"max_age of a cache must be positive seconds or None, got {max_age!r}.")


class Backoff:
    """A store that is down must not be asked for every verdict: it is left alone for some seconds. For any thread.

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
    def active(self) -> bool:
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
