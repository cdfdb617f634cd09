"""Labels that a caller gives to answers: few values each, never texts, since every value is a series in a dashboard."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from types import MappingProxyType

from guardrail.errors import ConfigurationError, did_you_mean
from guardrail.telemetry.spans import holding

KEYS = ("application", "model", "retriever", "index", "release", "topic")
"""What an answer may be labelled with."""

MOST = 100
"""Values of one label that a process tells apart; what comes later is counted as OTHER."""

OTHER = "other"
_LONGEST = 100

_log = logging.getLogger(__name__)
_NOTHING: Mapping[str, str] = MappingProxyType({})
_CURRENT: ContextVar[Mapping[str, str]] = ContextVar("guardrail_labels", default=_NOTHING)


@contextmanager
def labels(
    *,
    application: str | None = None,
    model: str | None = None,
    retriever: str | None = None,
    index: str | None = None,
    release: str | None = None,
    topic: str | None = None,
) -> Iterator[None]:
    """Label the answers that are checked inside the block, in this thread or task; over those of the guard.

    Args:
        application: The service or chain.
        model: The model that writes the answers.
        retriever: What found the passages.
        index: Version of the index that it searched.
        release: Version of the application.
        topic: What the question is about, one of a few.

    Raises:
        ConfigurationError: a value is no str.
    """
    given = dict(zip(KEYS, (application, model, retriever, index, release, topic), strict=True))
    named = read_labels({key: value for key, value in given.items() if value is not None})
    with holding(_CURRENT, {**_CURRENT.get(), **named}):
        yield


def current_labels() -> Mapping[str, str]:
    """The labels of this thread or task."""
    return _CURRENT.get()


def read_labels(given: Mapping[str, str]) -> dict[str, str]:
    """The labels, in order, without empty ones.

    Raises:
        ConfigurationError: a key is unknown or a value is no str.
    """
    for key, value in given.items():
        if key not in KEYS:
            raise ConfigurationError(f"unknown label {key!r}. {did_you_mean(str(key), KEYS)}")
        if not isinstance(value, str):
            raise ConfigurationError(f"label {key!r} must be a str, got {type(value).__name__}.")
    return {key: given[key][:_LONGEST] for key in KEYS if given.get(key)}


class Bounds:
    """Keeps the number of values per label small, whatever is put in: a question as topic must not cost a series."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: dict[str, set[str]] = {}
        self._adding = Lock()

    def bound(self, key: str, value: object) -> str:
        """The value (engines of others may have any for a name), or OTHER where there have been too many."""
        named = str(value)[:_LONGEST]
        known = self._known.setdefault(key, set())
        if named in known:
            return named
        with self._adding:
            if len(known) < self._most:
                known.add(named)
                return named
            warned = OTHER in known
            known.add(OTHER)
        if not warned:
            _log.warning("label %s has had more than %d values; further ones are counted as %r", key, self._most, OTHER)
        return OTHER


BOUNDS = Bounds()
"""Of this process."""
