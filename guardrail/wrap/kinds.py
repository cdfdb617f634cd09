"""Guards and streams as programs (guardrail.check.drivers) see them, whether their caller is sync or async."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, Self, cast

from guardrail.check.drivers import Events, Program, Work, aiterate, arun, iterate, run
from guardrail.check.intake import PassageLike
from guardrail.errors import ConfigurationError, UsageError, did_you_mean
from guardrail.guard import Guard
from guardrail.repair.feedback import Feedback
from guardrail.repair.generators import Generated
from guardrail.repair.generators import Generator as Generate
from guardrail.streaming import MODES, Mode, PassageSource
from guardrail.types import GuardedAnswer

HideFrom = Literal["nobody", "streams", "all"]
"""From whom the text that was generated is hidden: nobody, those who stream to the caller, or all who listen."""

END: Final = object()
"""What ``Streams.next`` sends behind the last item."""

Items = Any
"""An Iterator for sync callers, an AsyncIterator for async ones."""


@dataclass(frozen=True, slots=True)
class Regenerators:
    """A generator for ``Guard.run`` and one for ``Guard.arun``; none where nobody can answer again."""

    here: Generate | None = None
    awaited: Generate | None = None

    @classmethod
    def of(cls, answering: Callable[[Feedback], Program[Any]]) -> Self:
        """Both from one program."""

        def here(feedback: Feedback) -> Generated:
            return cast("Generated", run(answering(feedback)))

        async def awaited(feedback: Feedback) -> Generated:
            return cast("Generated", await arun(answering(feedback)))

        return cls(here, awaited)


def same(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Work[Any]:
    """The same call for both, which gives an awaitable where the caller is async."""
    work = partial(call, *args, **kwargs)
    return Work(work, work)


def guarded_run(
    guard: Guard, answer: str, passages: Iterable[PassageLike], regenerators: Regenerators, **options: Any
) -> Work[GuardedAnswer]:
    """``Guard.run``."""
    return Work(
        partial(guard.run, answer, passages, regenerate=regenerators.here, **options),
        partial(guard.arun, answer, passages, regenerate=regenerators.awaited, **options),
    )


@dataclass(frozen=True, slots=True)
class Streams:
    """Streams of one call, which are all of the same kind."""

    asynchronous: bool

    def iter(self, items: object) -> Items:
        """Begin to read one."""
        return aiter(cast("Any", items)) if self.asynchronous else iter(cast("Any", items))

    def next(self, items: Items) -> Work[Any]:
        """The next item of a stream; END where there is none."""
        return same(anext if self.asynchronous else next, items, END)

    def given(self, program: Events[Any], *opened: object) -> Items:
        """What a program yields beside Work; at the end, the streams that it opened are closed."""
        return self.given_until(program, list(opened))

    def given_until(self, program: Events[Any], opened: list[object]) -> Items:
        """The same where the program puts the streams into a list itself, as it opens them."""
        at_end: Work[None] = Work(partial(_close, opened), partial(_aclose, opened))
        return aiterate(program, at_end) if self.asynchronous else iterate(program, at_end)

    def guarded(
        self, guard: Guard, texts: Items, passages: PassageSource, regenerators: Regenerators, **options: Any
    ) -> Items:
        """``Guard.stream``."""
        if self.asynchronous:
            return guard.astream(texts, passages, regenerate=regenerators.awaited, **options)
        return guard.stream(texts, passages, regenerate=regenerators.here, **options)


def _close(opened: list[object]) -> None:
    for items in reversed(opened):
        if (close := getattr(items, "close", None)) is not None:
            close()


async def _aclose(opened: list[object]) -> None:
    for items in reversed(opened):
        if (close := getattr(items, "aclose", None) or getattr(items, "close", None)) is not None:
            await close()


def read_guard(guard: object, instead: str) -> Guard:
    """Raises UsageError where it is none; the message says what to write ``instead``."""
    if not isinstance(guard, Guard):
        raise UsageError(f"guard must be a Guard, got {type(guard).__name__}. Write {instead}.")
    return guard


def read_mode(mode: object) -> Mode:
    """Raises UsageError where it is none."""
    if mode not in MODES:
        raise UsageError(f"unknown mode {mode!r}. {did_you_mean(str(mode), MODES)}")
    return mode


def read_hide_from(value: object, known: tuple[HideFrom, ...] = ("nobody", "streams", "all")) -> HideFrom:
    """Raises ConfigurationError where it is none."""
    found = next((each for each in known if each == value), None)
    if found is None:
        raise ConfigurationError(f"hide_from must be one of {', '.join(map(repr, known))}, got {value!r}.")
    return found
