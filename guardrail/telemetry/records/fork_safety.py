"""Writers across ``os.fork``: none is inside SQLite at that moment, and the child's begin afresh.

A process that forks while another thread is inside SQLite leaves the child with locks that nobody opens again; a
connection that is merely open makes SQLite in the child believe that it holds the parent's locks on the file, and what
the child writes is lost when the parent closes it. So no writer's file is open at a fork.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from typing import Protocol
from weakref import WeakSet

_EXIT_SECONDS = 2.0
_PAUSE_SECONDS = 5.0  # longer than a writer waits for a locked file


class Forked(Protocol):
    """What a writer does about forks and at the end."""

    def pause(self, seconds: float) -> bool:
        """Close the file and stay out of SQLite until ``resume``; False if it could not in this time."""
        ...

    def resume(self) -> None:
        """Go on."""
        ...

    def restart(self) -> None:
        """In the child: forget thread, queue and connection, which are the parent's."""
        ...

    def close(self, seconds: float) -> bool:
        """Write what is left and stop; False if time ran out."""
        ...


_writers: WeakSet[Forked] = WeakSet()
_paused = threading.local()  # hooks run in the thread that forks; two may fork at once


def register(writer: Forked) -> None:
    """See to this writer when the process forks or ends."""
    _writers.add(writer)


def _before() -> None:
    _paused.writers = [writer for writer in list(_writers) if writer.pause(_PAUSE_SECONDS)]


def _in_parent() -> None:
    for writer in _paused.writers:
        writer.resume()
    _paused.writers = []


def _in_child() -> None:
    _paused.writers = []
    for writer in list(_writers):
        writer.restart()


def _at_exit() -> None:
    until = time.monotonic() + _EXIT_SECONDS
    for writer in list(_writers):
        writer.close(max(0.0, until - time.monotonic()))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
atexit.register(_at_exit)
