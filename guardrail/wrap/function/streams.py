"""``@guarded`` on generator functions, which yield their passages once and the answer as deltas."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any

from guardrail.errors import UsageError
from guardrail.repair.feedback import Feedback
from guardrail.streaming.events import Delta, Mode, StreamEvent
from guardrail.wrap.function.calls import Calls


class Yields:
    """One call of a generator function, taken apart into deltas and passages."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._passages: Any = None

    def passages(self) -> Any:
        """What the function yielded beside its text.

        Raises:
            UsageError: nothing so far.
        """
        if self._passages is None:
            raise UsageError(f"{self._name} has yielded no passages. Yield them as one list, before the text.")
        return self._passages

    def deltas(self, items: Iterator[Any]) -> Iterator[str]:
        """Its text; passages are kept aside."""
        try:
            for item in items:
                if self._is_text(item):
                    yield item
        finally:
            _close(items)

    async def adeltas(self, items: AsyncIterator[Any]) -> AsyncIterator[str]:
        """The same for an async generator."""
        try:
            async for item in items:
                if self._is_text(item):
                    yield item
        finally:
            await _aclose(items)

    def _is_text(self, item: object) -> bool:
        if isinstance(item, str):
            return True
        if self._passages is not None:
            raise UsageError(f"{self._name} yielded a {type(item).__name__} after its passages. Yield them once.")
        self._passages = item
        return False


def streamed(calls: Calls, mode: Mode, text: bool) -> Callable[..., Iterator[StreamEvent | str]]:
    """The guarded generator function."""

    def stream(*args: Any, **kwargs: Any) -> Iterator[StreamEvent | str]:
        parts, again = Yields(calls.name), calls.again(args, kwargs)

        def anew(feedback: Feedback) -> tuple[str, Any]:
            new = Yields(calls.name)
            said = "".join(new.deltas(again(feedback))) if again is not None else ""
            return said, new.passages()

        events = calls.guard.stream(
            parts.deltas(calls.function(*args, **kwargs)),
            parts.passages,
            question=calls.question_of(args, kwargs),
            mode=mode,
            regenerate=None if again is None else anew,
        )
        try:
            for event in events:
                if not text:
                    yield event
                elif isinstance(event, Delta):
                    yield event.text
        finally:
            _close(events)

    return stream


def astreamed(calls: Calls, mode: Mode, text: bool) -> Callable[..., AsyncIterator[StreamEvent | str]]:
    """The guarded async generator function."""

    async def stream(*args: Any, **kwargs: Any) -> AsyncIterator[StreamEvent | str]:
        parts, again = Yields(calls.name), calls.again(args, kwargs)

        async def anew(feedback: Feedback) -> tuple[str, Any]:
            new = Yields(calls.name)
            said = [delta async for delta in new.adeltas(again(feedback))] if again is not None else []
            return "".join(said), new.passages()

        events = calls.guard.astream(
            parts.adeltas(calls.function(*args, **kwargs)),
            parts.passages,
            question=calls.question_of(args, kwargs),
            mode=mode,
            regenerate=None if again is None else anew,
        )
        try:
            async for event in events:
                if not text:
                    yield event
                elif isinstance(event, Delta):
                    yield event.text
        finally:
            await _aclose(events)

    return stream


def _close(items: Iterator[Any]) -> None:
    if isinstance(items, Generator):
        items.close()


async def _aclose(items: AsyncIterator[Any]) -> None:
    if isinstance(items, AsyncGenerator):
        await items.aclose()
