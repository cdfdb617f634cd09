"""Processes that read for the local engine, so that its Python never makes the event loop wait.

Threads share one interpreter: with two checks at work in threads, the event loop has a third of it. Of a check with the
local engine 96 % of the processor's time is its reading, so only that is sent away; answers are taken apart and judged,
records written and spans made where they always are.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.util import Finalize
from typing import Any

from guardrail.check.contract import VerifyRequest
from guardrail.engines.local.engine import LocalEngine
from guardrail.errors import EngineError, EngineTimeout, UsageError, rust_panics_as_errors
from guardrail.service.logs import log_as_json
from guardrail.service.measures import Measures
from guardrail.types import Row, SupportMatrix

Part = tuple[tuple[bool, ...], tuple[tuple[Row, ...], ...]]
"""PartialRows as values: its ``own``, and its rows for each number of segments up to the engine's ``longest``."""

_GRACE = 5.0
"""Seconds past its time that a process has before it is ended: on a busy machine it notices late."""
_PAUSES = (0.5, 1.0, 2.0, 5.0, 15.0, 30.0)
"""Seconds between attempts to start a process that does not come up."""
_START = 600.0
"""Seconds to start and to load the model, which takes one second of the processor's time: a machine may be busy."""

_ENDS = "the service ends"

_log = logging.getLogger("guardrail.service")


class Processes:
    """So many processes, each with the model loaded, each at one check at a time. Shared by threads.

    A process that dies, or does not come back in its time, is replaced at once; what it was reading raises an
    EngineError, which makes the answer unverified. They are started by ``start``, or by the first request.

    Args:
        engine: Reads in each of them.
        count: How many.
        seconds: Longest time for a request without a deadline.
        measures: Hears of those that are replaced.
        log_level: Of their logs.
    """

    def __init__(
        self, engine: LocalEngine, count: int, seconds: float, measures: Measures, log_level: str = "info"
    ) -> None:
        self.count = count
        self.seconds = seconds
        self._engine, self._measures, self._log_level = engine, measures, log_level
        self._changed = threading.Condition()
        self._all: set[_Process] = set()
        self._working: set[_Process] = set()
        self._idle: list[_Process] = []  # the last one goes first: its caches are warm
        self._started = self._closed = False

    @property
    def missing(self) -> int:
        """Processes that have been started, and cannot read (yet)."""
        return self.count - len(self._working) if self._started else 0

    def pids(self) -> list[int]:
        """The process ids of those that can read."""
        with self._changed:
            return [process.pid for process in self._working]

    def start(self) -> None:
        """Start them, unless that was done."""
        with self._changed:
            if self._started or self._closed:
                return
            self._started = True
            self._at_exit = Finalize(None, self.close, exitpriority=10)  # before multiprocessing joins its children
        for _ in range(self.count):
            threading.Thread(target=self._keep_one, name="guardrail-process", daemon=True).start()

    def wait_until_up(self) -> None:
        """Start them, and return when one can read. What does not come up is started again, so this ends.

        Raises:
            EngineError: they were closed.
        """
        self.start()
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._working)
            if self._closed:
                raise EngineError(_ENDS)

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify.

        Raises:
            EngineTimeout: no process was free in time, or the one that read it did not come back.
            EngineError: the process died, or the engine failed.
            UsageError: the engine raised one.
        """
        matrix: SupportMatrix = self._ask("verify", request)
        return matrix

    def read_part(self, request: VerifyRequest) -> Part:
        """See IncrementalEngine.read_part.

        Raises:
            EngineError: as ``verify``; UsageError, too.
        """
        part: Part = self._ask("read_part", request)
        return part

    def close(self) -> None:
        """End them at once, whatever they do."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            if self._started:
                self._at_exit.cancel()
            ending = list(self._all)
            self._changed.notify_all()
        for process in ending:
            process.end()

    def _ask(self, method: str, request: VerifyRequest) -> Any:
        self.start()
        now = time.monotonic()
        end = now + self.seconds if request.deadline is None else min(request.deadline, now + self.seconds)
        process = self._take(end)
        try:
            value = process.ask(method, request, end + _GRACE)
        except TimeoutError:
            process.end()
            raise EngineTimeout("the process that read it did not come back in time") from None
        except (EOFError, OSError):
            process.end()
            raise EngineError("the process that read it died") from None
        except BaseException:
            process.end()
            raise
        self._give(process)
        if isinstance(value, (EngineError, UsageError)):
            raise value
        return value

    def _take(self, end: float) -> _Process:
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._closed or self._idle, max(0.0, end - time.monotonic()))
                if self._closed:
                    raise EngineError(_ENDS)
                if not self._idle:
                    raise EngineTimeout("no process of the local engine was free in time")
                if (process := self._idle.pop()).alive:  # else its thread replaces it
                    return process

    def _give(self, process: _Process) -> None:
        with self._changed:
            if process in self._working:
                self._idle.append(process)
                self._changed.notify_all()

    def _keep_one(self) -> None:
        """One process, and another each time that it ends. In a thread of its own, until the end."""
        failed = 0
        while not self._closed:
            try:
                with self._one() as process:
                    process.wait_until_loaded()
                    with self._changed:
                        self._working.add(process)
                    self._give(process)
                    failed = 0
                    process.wait_until_ended()
            except Exception as error:  # memory may be short, for a while
                if not self._closed:
                    _log.exception("a process of the local engine did not come up", exc_info=error)
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, _PAUSES[min(failed, len(_PAUSES) - 1)])
                failed += 1
                continue
            if not self._closed:
                self._measures.replaced()
                why = "did not come back in its time" if process.late else "died"
                _log.warning("process %d of the local engine %s; another takes its place", process.pid, why)

    @contextmanager
    def _one(self) -> Iterator[_Process]:
        """A new process, known to ``close`` from its start, and gone after the block."""
        with self._changed:
            if self._closed:
                raise EngineError(_ENDS)
            process = _Process(self._engine, self._log_level)
            self._all.add(process)
        try:
            yield process
        finally:
            process.end()
            with self._changed:
                self._all.discard(process)
                self._working.discard(process)
                if process in self._idle:
                    self._idle.remove(process)


class _Process:
    """One process and the way to it.

    Attributes:
        pid: Its process id.
        late: Whether it was killed since it did not come back in its time.
    """

    def __init__(self, engine: LocalEngine, log_level: str) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that threads hold just now
        self._connection, other = context.Pipe()
        self._process = context.Process(
            target=_work, args=(other, engine, log_level), name="guardrail-engine", daemon=True
        )
        try:
            self._process.start()
        finally:
            other.close()  # so that the pipe ends when the process does
        self.pid = self._process.pid or 0
        self.late = False

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return not wait([self._process.sentinel], 0)

    def wait_until_ended(self) -> None:
        """Wait until it has died, or was killed."""
        wait([self._process.sentinel])

    def wait_until_loaded(self) -> None:
        """Wait for the model.

        Raises:
            EngineError: it could not be loaded.
            EOFError: the process died.
            TimeoutError: it takes too long.
        """
        with self._killed_at(time.monotonic() + _START):
            said = self._connection.recv()
        if isinstance(said, Exception):
            raise said

    def ask(self, method: str, request: VerifyRequest, end: float) -> Any:
        """What it says: a value, or an exception as a value.

        Raises:
            EOFError: the process died; OSError, too.
            TimeoutError: it has not answered at ``end`` (``time.monotonic()``).
        """
        with self._killed_at(end):
            self._connection.send((method, request))  # one that does not read would let this wait, too
            return self._connection.recv()

    def end(self) -> None:
        """Kill it; it holds nothing that matters. The pipe is left to others that may wait for it just now."""
        with suppress(Exception):
            self._process.kill()
            self._process.join(_GRACE)

    @contextmanager
    def _killed_at(self, end: float) -> Iterator[None]:
        """Kill it then, unless the block has ended, so that nothing in the block waits longer."""
        timer = threading.Timer(max(0.0, end - time.monotonic()), self._kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (EOFError, OSError):
            timer.cancel()
            timer.join()
            if self.late:
                raise TimeoutError from None
            raise
        finally:
            timer.cancel()
            timer.join()  # so that it does not kill at what comes next

    def _kill(self) -> None:
        self.late = True
        self._process.kill()


def _work(connection: Connection[Any, Any], engine: LocalEngine, log_level: str) -> None:
    """The process: one request after the other, until the other end of the pipe is closed, or its process gone."""
    for each in (signal.SIGINT, signal.SIGTERM):  # they may come to all processes; what is under way is finished
        signal.signal(each, signal.SIG_IGN)
    log_as_json(log_level)
    methods = {"verify": engine.verify, "read_part": partial(_read_part, engine)}
    with suppress(EOFError, OSError):
        connection.send(_said(engine.warm_up))
        while True:
            method, request = connection.recv()
            connection.send(_said(methods[method], request))


def _read_part(engine: LocalEngine, request: VerifyRequest) -> Part:
    part = engine.read_part(request)
    return part.own, tuple(part.rows(count) for count in range(engine.longest + 1))


def _said(call: Any, *arguments: Any) -> Any:
    try:
        with rust_panics_as_errors():
            return call(*arguments)
    except (EngineError, UsageError) as error:
        return error
    except Exception as error:  # another library's might not survive the pipe, and what it says may hold texts
        _log.warning("the local engine failed", exc_info=error)
        return EngineError(type(error).__name__)
