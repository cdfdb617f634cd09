"""What ``@guarded`` makes of a function, for type checkers: the parameters stay, what comes out is checked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any, ParamSpec, Protocol, overload

from guardrail.streaming.events import StreamEvent
from guardrail.types import GuardedAnswer

P = ParamSpec("P")
Pair = tuple[str, Iterable[Any]]


class Answers(Protocol):
    """The decorator that delivers GuardedAnswers and StreamEvents."""

    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, object]], /
    ) -> Callable[P, Coroutine[Any, Any, GuardedAnswer]]: ...
    @overload
    def __call__(self, function: Callable[P, AsyncIterator[object]], /) -> Callable[P, AsyncIterator[StreamEvent]]: ...
    @overload
    def __call__(self, function: Callable[P, Iterator[object]], /) -> Callable[P, Iterator[StreamEvent]]: ...
    @overload
    def __call__(self, function: Callable[P, Pair | Mapping[str, Any]], /) -> Callable[P, GuardedAnswer]: ...
    @overload
    def __call__(self, function: Callable[P, Any], /) -> Callable[P, Any]: ...


class Texts(Protocol):
    """The decorator that delivers texts and deltas."""

    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, object]], /
    ) -> Callable[P, Coroutine[Any, Any, str]]: ...
    @overload
    def __call__(self, function: Callable[P, AsyncIterator[object]], /) -> Callable[P, AsyncIterator[str]]: ...
    @overload
    def __call__(self, function: Callable[P, Iterator[object]], /) -> Callable[P, Iterator[str]]: ...
    @overload
    def __call__(self, function: Callable[P, Pair | Mapping[str, Any]], /) -> Callable[P, str]: ...
    @overload
    def __call__(self, function: Callable[P, Any], /) -> Callable[P, Any]: ...
