"""The service on a port of loopback, with guards that say what they are told to."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager

import uvicorn

from guardrail.service import Settings, create_app
from guardrail.testing import FakeEngine

SOURCE = "The dam is 64 metres high. It was opened in 1963."
RIGHT = "The dam is 64 metres high."
WRONG = "Rita Halloway built it."
UNJUDGED = "It may well be the oldest one."
VERDICTS = {"Halloway": "contradicted", "Nobody": "unsupported", "oldest": "unverified"}

_POLICIES = {
    "strict": {"preset": "strict"},
    "redact": {"actions": {"contradicted": "redact", "unsupported": "redact", "unverified": "redact"}},
    "notes": {"preset": "annotate"},
    "watch": {"preset": "monitor"},
    "late": {"actions": {"unsupported": "redact", "contradicted": "block"}},
}

engines = []
"""The engines that were made, the last one last."""


def engine():
    """For ``python:tests.support.dialect_server:engine``."""
    engines.append(FakeEngine(VERDICTS))
    return engines[-1]


def settings(folder, engine="python:tests.support.dialect_server:engine", **given):
    """Settings with a guard for each policy; the default one is strict."""
    import yaml

    guards = {}
    for name, policy in _POLICIES.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump({"name": name, **policy}))
        guards[name] = {"policy": f"{name}.yaml", "engine": engine}
    return Settings(folder=folder, guards=guards, default_guard="strict", **given)


@contextmanager
def serving(settings):
    """The address of the service, and the application."""
    app = create_app(settings)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="on"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the service did not start")
        threading.Event().wait(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}", app
    finally:
        server.should_exit = True
        thread.join(timeout=20)
