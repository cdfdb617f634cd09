"""Work that takes its time, in threads of its own: with an id, progress, and an end that can be asked for."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from guardrail.check.threads import in_thread
from guardrail.errors import GuardrailError, UsageError

T = TypeVar("T")

RUNNING = 2
"""Jobs at work at once: more would wait for each other on a machine that has others to serve."""

KEPT = 6
"""Jobs whose results are kept; the oldest that has ended makes room."""

_log = logging.getLogger("guardrail.service.studio")


class Job(Generic[T]):
    """One piece of work.

    Attributes:
        id: By which the page asks for it.
        result: What the work fills in as it goes on; readers see it grow.
        total: Steps, once they are known.
        done: Steps that are done.
        state: ``running``, ``stopped`` (somebody asked for it), ``done`` or ``failed``.
        error: Why it failed, in words.
    """

    def __init__(self, result: T) -> None:
        self.id = secrets.token_hex(8)
        self.result = result
        self.total: int | None = None
        self.done = 0
        self.state = "running"
        self.error: str | None = None
        self._stopping = threading.Event()

    @property
    def stopping(self) -> bool:
        """Whether the work is to end at the next step."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Ask for its end. A step under way is finished first."""
        self._stopping.set()

    def run(self, work: Callable[[Job[T]], None]) -> None:
        """Do the work, and note how it ended."""
        try:
            work(self)
        except GuardrailError as error:
            self.state, self.error = "failed", str(error)
        except Exception as error:
            _log.error("a fault of the studio: %s", type(error).__name__, exc_info=error)
            self.state, self.error = "failed", "A fault of the studio. The terminal that it was started in says more."
        else:
            self.state = "stopped" if self.stopping else "done"


class Jobs(Generic[T]):
    """The jobs of one view."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job[T]] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, result: T, work: Callable[[Job[T]], None]) -> Job[T]:
        """Begin it in a thread that ends with the process.

        Raises:
            UsageError: RUNNING jobs are at work.
        """
        job = Job(result)
        with self._lock:
            if sum(one.state == "running" for one in self._jobs.values()) >= RUNNING:
                raise UsageError(f"{RUNNING} comparisons are running. Stop one, or wait until it is done.")
            self._jobs[job.id] = job
            ended = [ident for ident, one in self._jobs.items() if one.state != "running"]
            for ident in ended[: max(0, len(self._jobs) - KEPT)]:
                del self._jobs[ident]
        in_thread(lambda: job.run(work))
        return job

    def get(self, ident: str) -> Job[T] | None:
        """The job of that id; None = there is none any more."""
        with self._lock:
            return self._jobs.get(ident)
