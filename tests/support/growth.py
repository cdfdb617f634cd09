"""Whether work grows with its input in proportion: a ratio of CPU times with wide room, so that no machine is too slow."""

import time
from collections.abc import Callable


def grows_linearly(work: Callable[[str], object], text: str, *, factor: int = 8) -> bool:
    """Whether ``factor`` times the text takes far less than ``factor`` squared times as long.

    The shorter text is the beginning of the longer; a twentieth of a second is forgiven as noise.
    """
    short = text[: len(text) // factor]
    return _seconds(work, text) < (factor**2 / 2) * max(_seconds(work, short), 1e-4) + 0.05


def _seconds(work: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started
