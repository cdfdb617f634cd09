"""The studio as a process: one socket, one event loop, and the browser once it answers."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import webbrowser
from contextlib import suppress

import uvicorn

from guardrail.errors import GuardrailError, UsageError
from guardrail.service.server import is_loopback, listen
from guardrail.service.studio.app import create_app
from guardrail.service.studio.browse import choices_of
from guardrail.service.studio.studio import Studio
from guardrail.telemetry.records import RecordStore

PORT = 8322


class _Server(uvicorn.Server):
    """Says its address, and opens the browser, when connections are taken, not before."""

    def __init__(self, config: uvicorn.Config, said: str, opened: str | None) -> None:
        super().__init__(config)
        self._said = said
        self._opened = opened

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(self._said, file=sys.stderr, flush=True)  # noqa: T201
        if self._opened is not None:  # a browser of the terminal would hold the loop
            threading.Thread(target=webbrowser.open, args=(self._opened,), daemon=True).start()


def serve(studio: Studio, *, host: str = "127.0.0.1", port: int | None = None, browser: bool = True) -> None:
    """Serve until Ctrl-C; the address with its token goes to standard error.

    Args:
        studio: The data.
        host: Address to listen on.
        port: 0 = a free one; None = PORT, or a free one where that is taken.
        browser: Whether the page is opened.

    Raises:
        UsageError: the address cannot be listened on.
    """
    logging.getLogger("uvicorn.access").disabled = True
    app = create_app(studio, hosts=(host,))
    with _listen(host, port) as listening:
        name = "127.0.0.1" if host in ("", "0.0.0.0") else host  # noqa: S104  only compared
        name = f"[{name}]" if ":" in name else name
        address = f"http://{name}:{listening.getsockname()[1]}/#token={app.state.token}"
        said = f"guardrail studio: {address}\nCtrl-C ends it."
        if not is_loopback(host):
            said += f"\nOthers reach {host}, too: whoever has the address above can use it, and it is sent unencrypted."
        if isinstance(studio.records, RecordStore):  # a file is first read when a view wants it
            threading.Thread(target=_count, args=(studio,), daemon=True).start()
        config = uvicorn.Config(
            app, ws="none", lifespan="off", log_level="warning", access_log=False, server_header=False,
            proxy_headers=False, timeout_graceful_shutdown=2,
        )  # fmt: skip
        _Server(config, said, address if browser else None).run([listening])


def _count(studio: Studio) -> None:
    """What the first view of records asks for, while the browser is still starting."""
    with suppress(GuardrailError):  # the view says it
        choices_of(studio, {})


def _listen(host: str, port: int | None) -> socket.socket:
    if port is not None:
        return listen(host, port)
    try:
        return listen(host, PORT)
    except UsageError:
        return listen(host, 0)
