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
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from queue import Empty, LifoQueue
from typing import Any

from guardrail.check.contract import VerifyRequest
from guardrail.engines.local.engine import LocalEngine
from guardrail.errors import EngineError, EngineTimeout, UsageError
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

_log = logging.getLogger("guardrail.service")


class Processes:
    """So many processes, each with the model loaded, each at one check at a time. Shared by threads.

    A process that dies, or does not come back in its time, is replaced; what it was reading raises an EngineError,
    which makes the answer unverified. They are started by ``start``, or by the first request.

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
        self._idle: LifoQueue[_Process] = LifoQueue()  # the last one first: its caches are warm
        self._lock = threading.Condition()
        self._working: set[_Process] = set()
        self._started = self._closed = False

    @property
    def working(self) -> int:
        """Processes that are up."""
        return len(self._working)

    def pids(self) -> list[int]:
        """Their process ids."""
        with self._lock:
            return [process.pid for process in self._working]

    def start(self, *, wait: bool = False) -> None:
        """Start them, unless that was done; ``wait``: until all are up, ``_START`` seconds at most.

        Raises:
            EngineError: they did not come up.
        """
        with self._lock:
            if not self._started and not self._closed:
                self._started = True
                self._at_exit = Finalize(None, self.close, exitpriority=10)  # before multiprocessing joins its children
                for _ in range(self.count):
                    threading.Thread(target=self._add, name="guardrail-process", daemon=True).start()
            if wait and not self._lock.wait_for(lambda: self._closed or self.working >= self.count, _START):
                raise EngineError(f"{self.working} of {self.count} processes of the local engine came up")

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

    def _ask(self, method: str, request: VerifyRequest) -> Any:
        self.start()
        now = time.monotonic()
        end = now + self.seconds if request.deadline is None else min(request.deadline, now + self.seconds)
        process = self._take(end)
        try:
            value = process.ask(method, request, end + _GRACE)
        except (EOFError, OSError) as error:
            late = isinstance(error, TimeoutError)
            self._replace(process, "did not come back in its time" if late else "died")
            if late:
                raise EngineTimeout("the process that read it did not come back in time") from None
            raise EngineError("the process that read it died") from None
        except BaseException:
            self._replace(process, "was left")
            raise
        self._idle.put(process)
        if isinstance(value, (EngineError, UsageError)):
            raise value
        return value

    def close(self) -> None:
        """End them at once, whatever they do."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._started:
                self._at_exit.cancel()
            ending = list(self._working)
            self._working.clear()
            self._lock.notify_all()
        for process in ending:
            process.end()

    def _take(self, end: float) -> _Process:
        while True:
            if self._closed:
                raise EngineError("the service ends")
            try:
                process = self._idle.get(timeout=max(0.0, end - time.monotonic()))
            except Empty:
                raise EngineTimeout("no process of the local engine was free in time") from None
            if process.alive:
                return process
            self._replace(process, "died")  # while it had nothing to do: another reads this one

    def _replace(self, process: _Process, why: str) -> None:
        process.end()
        with self._lock:
            self._working.discard(process)
            if self._closed:
                return
        self._measures.replaced()
        _log.warning("process %d of the local engine %s; another takes its place", process.pid, why)
        threading.Thread(target=self._add, name="guardrail-process", daemon=True).start()

    def _add(self) -> None:
        """One more process, however long it takes."""
        attempt = 0
        while not self._closed:
            process = None
            try:
                process = _Process(self._engine, self._log_level)
                process.wait_until_loaded()
            except Exception as error:  # memory may be short, for a while
                if process is not None:
                    process.end()
                _log.exception("a process of the local engine did not come up", exc_info=error)
                time.sleep(_PAUSES[min(attempt, len(_PAUSES) - 1)])
                attempt += 1
                continue
            with self._lock:
                if not self._closed:
                    self._working.add(process)
                    self._idle.put(process)
                    self._lock.notify_all()
                    return
            process.end()


class _Process:
    """One process and the way to it."""

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

    @property
    def alive(self) -> bool:
        """Whether it has not died."""
        return self._process.is_alive()

    def wait_until_loaded(self) -> None:
        """Wait for the model.

        Raises:
            EngineError: it could not be loaded.
            EOFError: the process died.
            TimeoutError: it takes too long.
        """
        if isinstance(said := self._reply(time.monotonic() + _START), Exception):
            raise said

    def ask(self, method: str, request: VerifyRequest, end: float) -> Any:
        """What it says: a value, or an exception as a value.

        Raises:
            EOFError: the process died; OSError, too.
            TimeoutError: it has not answered at ``end`` (``time.monotonic()``).
        """
        self._connection.send((method, request))
        return self._reply(end)

    def end(self) -> None:
        """Kill it; it holds nothing that matters."""
        with suppress(Exception):
            self._process.kill()
            self._process.join(_GRACE)
        self._connection.close()

    def _reply(self, end: float) -> Any:
        if not self._connection.poll(max(0.0, end - time.monotonic())):
            raise TimeoutError
        return self._connection.recv()


def _work(connection: Connection[Any, Any], engine: LocalEngine, log_level: str) -> None:
    """The process: one request after the other, until the other end of the pipe is closed, or its process gone."""
    for each in (signal.SIGINT, signal.SIGTERM):  # they may come to all processes; what is under way is finished
        signal.signal(each, signal.SIG_IGN)
    log_as_json(log_level)
    connection.send(_said(engine.warm_up))
    with suppress(EOFError, OSError):
        while True:
            method, request = connection.recv()
            connection.send(_said(_METHODS[method], engine, request))


def _read_part(engine: LocalEngine, request: VerifyRequest) -> Part:
    part = engine.read_part(request)
    return part.own, tuple(part.rows(count) for count in range(engine.longest + 1))


_METHODS = {"verify": LocalEngine.verify, "read_part": _read_part}


def _said(call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except (EngineError, UsageError) as error:
        return error
    except Exception as error:  # another library's might not survive the pipe, and what it says may hold texts
        _log.warning("the local engine failed", exc_info=error)
        return EngineError(type(error).__name__)
