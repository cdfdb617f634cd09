"""Errors, by who can mend them.

GuardrailError
├── UsageError               the caller passed something that cannot be checked (also a ValueError)
│   └── ConfigurationError   a policy or option is wrong
├── MissingExtraError        an optional package is not installed (also an ImportError)
└── EngineError              an engine failed; the guard turns it into UNVERIFIED findings
    └── EngineTimeout        the engine did not answer in time
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from guardrail.types import Cause


class GuardrailError(Exception):
    """Root of all errors of this package."""


class UsageError(GuardrailError, ValueError):
    """The caller's mistake; always raised, never turned into a verdict."""


class ConfigurationError(UsageError):
    """A policy, option or file says something that we cannot follow."""


class MissingExtraError(GuardrailError, ImportError):
    """An optional package is not installed; the message names the line that installs it."""


class EngineError(GuardrailError):
    """An engine could not judge: the guard reports UNVERIFIED. Its message reaches reports, so put no secrets in it.

    Attributes:
        cause: The kind of reason, for the findings that come of it.
    """

    cause = Cause.ENGINE

    def __init__(self, *args: object, cause: Cause | None = None) -> None:
        super().__init__(*args)
        if cause is not None:
            self.cause = cause


class EngineTimeout(EngineError):  # noqa: N818  the tree above reads better so
    """An engine ran out of its time."""

    cause = Cause.TIMEOUT


def cause_of(error: Exception) -> Cause:
    """Why there was no verdict where this was raised."""
    if isinstance(error, EngineError):
        return error.cause
    return Cause.TIMEOUT if isinstance(error, TimeoutError) else Cause.ENGINE


@contextmanager
def rust_panics_as_errors() -> Iterator[None]:
    """Make an EngineError of a panic of a library written in Rust (a tokenizer, say), which is no Exception.

    It would pass every ``except Exception`` on its way and end the service's request. What it says may hold texts.
    """
    try:
        yield
    except Exception:
        raise
    except BaseException as error:
        if _panicked(error):
            raise EngineError("a library panicked") from error
        raise


def _panicked(error: BaseException) -> bool:
    """Whether it is a panic, or a task group's with nothing in it that is an order to stop."""
    if isinstance(error, BaseExceptionGroup):
        return all(isinstance(one, Exception) or _panicked(one) for one in error.exceptions)
    return type(error).__name__ == "PanicException"  # each library has a class of its own, none can be imported


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """A hint for a message: the nearest known names, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(value, names, n=1, cutoff=0.6)
    return f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(names)}."
