"""Whether work grows with its input in proportion: by the calls that it makes, which are the same on every machine."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LONGEST = 30.0
"""Seconds of this process at work after which a test is ended: a guard against hanging, no measure."""

_ENDLESS = 1_000_000
"""Characters of which one look at all from each of them takes minutes, wherever it is done."""


def grows_linearly(work: Callable[[str], object], text: str, *, factor: int = 8) -> bool:
    """Whether ``factor`` times the text takes far fewer than ``factor`` squared times the calls.

    The shorter text is the beginning of the longer; a few calls for each character are in proportion, too. What a
    regular expression does inside one match is no call: where calls are few, a text is read that is so long that
    the guard ends whoever looks at all of it again from each character.
    """
    short, long = calls(lambda: work(text[: len(text) // factor])), calls(lambda: work(text))
    if long < len(text):
        with _guarded():
            work(text * (_ENDLESS // len(text)))
    return long < 3 * factor * short + 4 * len(text)


def calls(work: Callable[[], object]) -> int:
    """Calls of functions, in Python and in C, that the work makes; also in threads that it starts."""
    count = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        with _guarded():
            work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return count


@contextmanager
def _guarded() -> Iterator[None]:
    """Ends what is at work for too long, also inside a regular expression; on Windows nothing does."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ended(number: int, frame: object) -> None:
        raise TimeoutError(f"still at work after {_LONGEST:.0f} seconds")

    before = signal.signal(signal.SIGVTALRM, ended)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
