"""Whether work grows with its input in proportion: a ratio of CPU times with wide room, so that no machine is too slow."""

import math
import time
from collections.abc import Callable

_TIMES = 5


def grows_linearly(work: Callable[[str], object], text: str, *, factor: int = 8) -> bool:
    """Whether ``factor`` times the text takes far less than ``factor`` squared times as long.

    The shorter text is the beginning of the longer. What passes is timed once; what does not is timed again, for a
    machine at work on other things may be late, and the least of several times counts. A tenth of a second is noise.
    """
    beginning = text[: len(text) // factor]
    short = long = math.inf
    for _ in range(_TIMES):
        short, long = min(short, _seconds(work, beginning)), min(long, _seconds(work, text))
        if long < (factor**2 / 2) * max(short, 5e-3) + 0.1:
            return True
    return False


def _seconds(work: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started
