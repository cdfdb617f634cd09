"""No test may leave this machine, and none fails because the machine is busy."""

from __future__ import annotations

import os
import signal
import socket

import pytest
from hypothesis import settings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["LANGCHAIN_TRACING_V2"] = "false"

settings.register_profile("guardrail", deadline=None)  # a busy machine is no reason to fail
settings.load_profile("guardrail")

_LOCAL = ("127.0.0.1", "::1", "localhost")


@pytest.fixture(autouse=True, scope="session")
def ctrl_c():
    """A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def no_network():
    """Only Unix sockets and the loopback interface can be connected to."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _local_only(getattr(socket.socket, name)))
        yield


def _local_only(connect):
    def checked(self, address):
        if self.family != getattr(socket, "AF_UNIX", None) and address[0] not in _LOCAL:
            raise AssertionError(f"a test tried to connect to {address!r}")
        return connect(self, address)

    return checked
