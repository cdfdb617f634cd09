"""``@guarded`` on generator functions, which yield their passages once and the answer as deltas."""

from __future__ import annotations

from typing import Any

from guardrail.check.drivers import Events, Program
from guardrail.errors import UsageError
from guardrail.repair.feedback import Feedback
from guardrail.streaming.events import Delta, Mode, StreamEvent
from guardrail.wrap.function.calls import Calls
from guardrail.wrap.kinds import END, Items, Regenerators, Streams


class Yields:
    """One call of a generator function, taken apart into deltas and passages."""

    def __init__(self, name: str, streams: Streams, items: Items) -> None:
        self._name, self._streams, self._items = name, streams, items
        self._passages: Any = None

    def passages(self) -> Any:
        """What the function yielded beside its text.

        Raises:
            UsageError: nothing so far.
        """
        if self._passages is None:
            raise UsageError(f"{self._name} has yielded no passages. Yield them as one list, before the text.")
        return self._passages

    def deltas(self) -> Items:
        """Its text; passages are kept aside."""
        return self._streams.given(self._texts(), self._items)

    def _texts(self) -> Events[str]:
        while (item := (yield self._streams.next(self._items))) is not END:
            if isinstance(item, str):
                yield item
            elif self._passages is None:
                self._passages = item
            else:
                raise UsageError(f"{self._name} yielded a {type(item).__name__} after its passages. Yield them once.")


def streamed(calls: Calls, mode: Mode, text: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Items:
    """What the guarded generator function yields: events, or the delivered text."""
    streams, opened = Streams(calls.asynchronous), list[object]()
    return streams.given_until(_events(calls, mode, text, args, kwargs, streams, opened), opened)


def _events(
    calls: Calls,
    mode: Mode,
    text: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    streams: Streams,
    opened: list[object],
) -> Events[StreamEvent | str]:
    regenerate = calls.regeneration(args, kwargs)

    def answering(feedback: Feedback) -> Program[tuple[str, Any]]:
        new = Yields(calls.name, streams, regenerate(feedback) if regenerate is not None else None)
        deltas, said = new.deltas(), list[str]()
        while (delta := (yield streams.next(deltas))) is not END:
            said.append(delta)
        return "".join(said), new.passages()

    parts = Yields(calls.name, streams, calls.function(*args, **kwargs))
    events = streams.guarded(
        calls.guard,
        parts.deltas(),
        parts.passages,
        Regenerators() if regenerate is None else Regenerators.of(answering),
        question=calls.question_of(args, kwargs),
        mode=mode,
    )
    opened.append(events)
    while (event := (yield streams.next(events))) is not END:
        if not text:
            yield event
        elif isinstance(event, Delta):
            yield event.text
