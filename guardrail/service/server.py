"""The service as processes: uvicorn, one worker or several on one socket."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import multiprocess

from guardrail.errors import ConfigurationError, UsageError
from guardrail.service.access import LOOPBACK
from guardrail.service.app import create_app
from guardrail.service.logs import log_as_json
from guardrail.service.protocol import TimedHead
from guardrail.service.settings import Settings
from guardrail.telemetry.monitor.page import count_for_page
from guardrail.telemetry.monitor.serve import FOLDER

CONFIG = "GUARDRAIL_CONFIG"
"""Variable of the environment that names the settings file."""

_GIVEN = "GUARDRAIL_SERVE_"
_SERVICE = "guardrail.service"
_SWITCH = 0.001
"""Seconds that a thread may keep others from running: with Python's 5 ms a few checks at work would let the event loop
wait for all of them each time that it has something to do."""
_KEEP_ALIVE = 75
"""Seconds that an idle connection is kept: longer than clients keep theirs, so that none sends into a closed one."""


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; then what is under way is finished.

    Raises:
        ConfigurationError: the address is public and there are no keys.
        UsageError: the address cannot be listened on.
    """
    refuse_open_door(settings)
    log_as_json(settings.log_level)
    listening = listen(settings.host, settings.port)
    config = configured("guardrail.service.server:application", settings, factory=True)
    with _shared_metrics(settings.workers), listening:
        host, port = listening.getsockname()[:2]
        print(f"guardrail serves at http://{f'[{host}]' if ':' in host else host}:{port}", file=sys.stderr, flush=True)  # noqa: T201
        if settings.workers > 1:
            _Workers(config, [listening]).run()
        else:
            _Server(config).run([listening])


def configured(app: str | Callable[..., object], settings: Settings, *, factory: bool = False) -> uvicorn.Config:
    """How uvicorn runs the application; what it logs goes to the log of the process."""
    logging.getLogger("uvicorn.access").disabled = True  # it would write paths and queries that clients chose
    return uvicorn.Config(
        cast("Any", app),
        factory=factory,
        workers=settings.workers,
        http=cast("Any", partial(TimedHead, seconds=settings.limits.header_seconds)),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=settings.limits.connections,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=round(settings.stop_seconds),
        timeout_worker_healthcheck=60,
    )


def application() -> Starlette:
    """The application of one worker, by the environment."""
    given = {key.removeprefix(_GIVEN).lower(): value for key, value in os.environ.items() if key.startswith(_GIVEN)}
    settings = Settings.load(os.environ.get(CONFIG), **given)
    if settings.hosts is None and not settings.keys:
        settings = settings.model_copy(update={"hosts": LOOPBACK})
    log_as_json(settings.log_level)
    sys.setswitchinterval(_SWITCH)
    count_for_page()
    app = create_app(settings)
    inside = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, object]]:
        with _drain(app):
            async with inside(app):
                yield {_SERVICE: app.state.service}  # for _Server.shutdown

    app.router.lifespan_context = lifespan
    return app


def refuse_open_door(settings: Settings) -> None:
    """Nobody listens to strangers without keys.

    Raises:
        ConfigurationError: the address is not loopback, and there are no keys.
    """
    if settings.keys or is_loopback(settings.host):
        return
    raise ConfigurationError(
        f"host {settings.host!r} can be reached by others, and there are no keys. Make one with "
        "`guardrail serve --new-key NAME`, or listen on 127.0.0.1."
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def _drain(app: Starlette) -> Iterator[None]:
    """SIGTERM first makes /readyz say no; after ``drain_seconds`` uvicorn hears of it."""
    loop, service, before = asyncio.get_running_loop(), app.state.service, signal.getsignal(signal.SIGTERM)
    wait = service.settings.drain_seconds

    def stop(number: int, frame: FrameType | None) -> None:
        first, service.draining = not service.draining, True
        if callable(before):
            if first and wait:
                loop.call_soon_threadsafe(loop.call_later, wait, before, number, None)
            else:
                before(number, frame)

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Server(uvicorn.Server):
    """Serves also the connections that the system had taken by the time of the end: closing would reset them."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if (service := self.lifespan.state.get(_SERVICE)) is not None:
            service.draining = True  # also after Ctrl-C
        try:
            loop = asyncio.get_running_loop()
            for listening in sockets or ():
                with suppress(NotImplementedError):
                    loop.remove_reader(listening.fileno())  # asyncio loses what it takes while its server is closed
            await asyncio.sleep(0)  # what it has taken becomes a connection
            for listening in sockets or ():
                await self._take_all(listening)
        finally:
            await super().shutdown(sockets)

    async def _take_all(self, listening: socket.socket) -> None:
        loop, kind = asyncio.get_running_loop(), cast("Any", self.config.http_protocol_class)
        made = partial(kind, config=self.config, server_state=self.server_state, app_state=self.lifespan.state)
        for _ in range(self.config.backlog):  # the system holds no more, but others may come meanwhile
            try:
                connection, _ = listening.accept()
            except BlockingIOError:
                return
            except OSError:  # the client has gone, say
                continue
            try:
                connection.setblocking(False)
                await loop.connect_accepted_socket(made, connection)
            except OSError:
                connection.close()


class _Worker(multiprocess.Process):
    """A worker whose end is that of a single server."""

    @property
    def server(self) -> uvicorn.Server:
        if self._server is None:
            self._server = _Server(self.config)
        return self._server


class _Workers(multiprocess.Multiprocess):
    """Workers on one socket, which no longer takes connections as soon as none of them does."""

    def run(self) -> None:
        multiprocess.Process = _Worker  # type: ignore[misc]  # all are made by that name, also those that replace others
        super().run()

    def terminate_all(self) -> None:
        super().terminate_all()
        for listening in self.sockets:
            listening.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket at that address; port 0 = a free one.

    Raises:
        UsageError: it cannot be listened on.
    """
    listening = None
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except (OSError, UnicodeError) as error:
        if listening is not None:
            listening.close()
        said = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"cannot listen on {host!r}, port {port}: {said}. Name another --host or --port.") from error
    listening.set_inheritable(True)
    return listening


@contextmanager
def _shared_metrics(workers: int) -> Iterator[None]:
    """A folder for the metrics of all workers, unless the operator names one."""
    if workers == 1 or os.environ.get(FOLDER):
        yield
        return
    folder = tempfile.mkdtemp(prefix="guardrail-metrics-")
    os.environ[FOLDER] = folder
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def pass_on(path: str | None, given: Mapping[str, object]) -> None:
    """Tell workers, by the environment, which file and options of the command line count."""
    if path is not None:
        os.environ[CONFIG] = str(Path(path).absolute())
    for key, value in given.items():
        if value is not None:
            os.environ[f"{_GIVEN}{key.upper()}"] = str(value)
