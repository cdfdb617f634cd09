"""Whether work grows with its input in proportion: a ratio of CPU times with wide room, so that no machine is too slow."""

import time
from collections.abc import Callable

_TIMES = 3


def grows_linearly(work: Callable[[str], object], text: str, *, factor: int = 8) -> bool:
    """Whether ``factor`` times the text takes far less than ``factor`` squared times as long.

    The shorter text is the beginning of the longer. Each time is the least of several; a tenth of a second is noise.
    """
    short = text[: len(text) // factor]
    return _seconds(work, text) < (factor**2 / 2) * max(_seconds(work, short), 5e-3) + 0.1


def _seconds(work: Callable[[str], object], text: str) -> float:
    return min(_once(work, text) for _ in range(_TIMES))


def _once(work: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started
