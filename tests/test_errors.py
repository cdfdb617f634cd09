"""Errors by who can mend them, and what is made of others."""

from __future__ import annotations

import pytest

from guardrail.errors import (
    ConfigurationError,
    EngineError,
    EngineTimeout,
    GuardrailError,
    MissingExtraError,
    cause_of,
    did_you_mean,
    rust_panics_as_errors,
)
from guardrail.types import Cause


class PanicException(BaseException):
    """As each library has one of its own."""


@pytest.mark.parametrize(
    ("error", "caught_as"),
    [(ConfigurationError("x"), ValueError), (MissingExtraError("x"), ImportError), (EngineTimeout("x"), EngineError)],
)
def test_callers_may_catch_what_python_raises_for_the_same(error: GuardrailError, caught_as: type[Exception]) -> None:
    assert isinstance(error, caught_as)
    assert isinstance(error, GuardrailError)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (EngineError("no answer"), Cause.ENGINE),
        (EngineError("all is spent", cause=Cause.BUDGET), Cause.BUDGET),
        (EngineTimeout("late"), Cause.TIMEOUT),
        (EngineTimeout("late", cause=Cause.BUDGET), Cause.BUDGET),
        (TimeoutError(), Cause.TIMEOUT),
        (RuntimeError("a fault"), Cause.ENGINE),
    ],
)
def test_the_cause_of_an_error_is_its_own_or_that_of_its_kind(error: Exception, cause: Cause) -> None:
    assert cause_of(error) is cause
    assert cause_of(EngineError("another")) is Cause.ENGINE


@pytest.mark.parametrize(
    ("value", "known", "hint"),
    [
        ("strct", ["monitor", "strict"], "Did you mean 'strict'?"),
        ("nothing like it", ["monitor", "strict"], "Known: monitor, strict."),
        ("", iter(["a", "b"]), "Known: a, b."),
    ],
)
def test_a_hint_is_the_nearest_name_or_all_of_them(value: str, known: list[str], hint: str) -> None:
    assert did_you_mean(value, known) == hint


@pytest.mark.parametrize(
    "raised",
    [PanicException("on the text itself"), BaseExceptionGroup("", [PanicException("on the text itself"), OSError()])],
)
def test_a_panic_becomes_an_error_that_does_not_repeat_its_text(raised: BaseException) -> None:
    with pytest.raises(EngineError) as found, rust_panics_as_errors():
        raise raised
    assert str(found.value) == "a library panicked"
    assert found.value.__cause__ is raised


@pytest.mark.parametrize(
    "raised", [KeyboardInterrupt(), OSError("disk"), BaseExceptionGroup("", [PanicException("x"), SystemExit()])]
)
def test_what_is_no_panic_passes_as_it_is(raised: BaseException) -> None:
    with pytest.raises(type(raised)) as found, rust_panics_as_errors():
        raise raised
    assert found.value is raised
