"""The bar that a command shows on standard error while it works through its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(doing: str, total: int | None, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Gives a function to call after each of ``total`` answers (None: unknown); it does nothing if not ``shown``."""
    if not shown:
        yield lambda: None
        return
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=total)
        yield lambda: progress.advance(task)
