"""What ``@guarded`` knows of a function: its kind, where answer, passages and question are, how to ask again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from guardrail.check.intake import read_answer, read_passages, read_question
from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.repair.feedback import Feedback
from guardrail.types import Passage

Extract = str | Callable[..., Any]
"""A key, attribute or parameter by its name, or a function."""

_QUESTIONS = ("question", "query")
_FEEDBACK = "feedback"


class Calls:
    """A function and how it is guarded. Holds no state of a call."""

    def __init__(
        self,
        function: Callable[..., Any],
        guard: Guard,
        answer: Extract | None,
        passages: Extract | None,
        question: Extract | None,
    ) -> None:
        if isinstance(function, (classmethod, staticmethod)) or not callable(function) or inspect.isclass(function):
            raise UsageError(f"@guarded needs a function, got {type(function).__name__}. Put it below @classmethod.")
        self.function = function
        self.guard = guard
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self._extracts = (answer, passages)
        self._question = question
        self._signature = inspect.signature(function)
        self._check_parameters()
        tried = function if inspect.isroutine(function) or isinstance(function, partial) else type(function).__call__
        self.generates = inspect.isgeneratorfunction(tried) or inspect.isasyncgenfunction(tried)
        self.asynchronous = inspect.iscoroutinefunction(tried) or inspect.isasyncgenfunction(tried)

    def read(self, returned: Any) -> tuple[str, tuple[Passage, ...]]:
        """The answer and the passages in what the function returned.

        Raises:
            UsageError: they are not there; the message says what is.
        """
        if inspect.isawaitable(returned):
            if inspect.iscoroutine(returned):
                returned.close()
            raise UsageError(f"{self.name} returned an awaitable. Define it with `async def`, so that it is awaited.")
        answer, passages = self._extracts
        if answer is None and passages is None and isinstance(returned, tuple):
            if len(returned) != 2:
                raise UsageError(f"{self.name} must return (answer, passages), got a tuple of {len(returned)}.")
            given, found = returned
        else:
            given = self._take(returned, answer or "answer", "answer")
            found = self._take(returned, passages or "passages", "passages")
        return read_answer(given, f"the answer of {self.name}"), read_passages(found)

    def question_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        """What was asked, from the arguments of the call."""
        if callable(self._question):
            return read_question(self._question(*args, **kwargs))
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if self._question is not None:
            return read_question(bound.arguments[self._question])
        held = (bound.arguments.get(name) for name in _QUESTIONS)
        return next((value for value in held if isinstance(value, str)), None)

    def regeneration(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Feedback], Any] | None:
        """The same call with feedback; None where the function takes none."""
        if _FEEDBACK not in self._signature.parameters:
            return None
        bound = self._signature.bind(*args, **kwargs)

        def call(feedback: Feedback) -> Any:
            bound.arguments[_FEEDBACK] = feedback
            return self.function(*bound.args, **bound.kwargs)

        return call

    def _take(self, returned: Any, extract: Extract, what: str) -> Any:
        if callable(extract):
            return extract(returned)
        if isinstance(returned, Mapping):
            if extract in returned:
                return returned[extract]
            there = f"keys {sorted(map(str, returned))}"
        elif hasattr(returned, extract):
            return getattr(returned, extract)
        else:
            there = f"a {type(returned).__name__}"
        raise UsageError(
            f"no {what} in what {self.name} returned ({there}); looked for {extract!r}. "
            f"Return (answer, passages), or pass {what}=<key, attribute or function> to @guarded."
        )

    def _check_parameters(self) -> None:
        parameters = self._signature.parameters
        if isinstance(self._question, str) and self._question not in parameters:
            raise UsageError(
                f"{self.name} has no parameter {self._question!r}; it has {', '.join(parameters) or 'none'}."
            )
        feedback = parameters.get(_FEEDBACK)
        if feedback is not None and (feedback.default is feedback.empty or feedback.kind is feedback.POSITIONAL_ONLY):
            raise UsageError(f"{self.name}: the first call has no feedback. Write `feedback: Feedback | None = None`.")
