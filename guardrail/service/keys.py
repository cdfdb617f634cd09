"""Keys of clients: made, hashed, found in a request, compared.

A key holds 256 random bits, so its plain SHA-256 tells nothing of it: there is no dictionary to try, and a slow hash
would only let strangers keep the service busy.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass

from starlette.datastructures import Headers

from guardrail.service.settings import KeySettings

PREFIX = "grk_"

_PLAIN_HEADERS = ("x-api-key", "api-key", "ocp-apim-subscription-key", "x-goog-api-key")
"""Where the clients of several vendors put a key."""

_AWS_CREDENTIAL = re.compile(r"^AWS4-HMAC-SHA256\b.*\bCredential=([^/,\s]+)/")


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks: the name of its key, and the guards that it may use (empty = all)."""

    name: str = "anonymous"
    guards: tuple[str, ...] = ()


client: ContextVar[Client] = ContextVar("guardrail_service_client", default=Client())  # noqa: B039  it is frozen
"""Who asks, in the task of a request."""


def new_key() -> str:
    """A key of 256 random bits."""
    return PREFIX + secrets.token_urlsafe(32)


def hashed(key: str) -> str:
    """What the settings keep of a key."""
    return "sha256:" + hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def presented(headers: Headers) -> str | None:
    """The key of a request: X-Guardrail-Key, else Authorization (Bearer), else a vendor's header.

    Of a request signed by AWS's Signature Version 4 it is the access key id: the service cannot check the signature,
    since it keeps no secret that it could be checked with.
    """
    if own := headers.get("x-guardrail-key"):
        return own.strip()
    said = headers.get("authorization", "")
    kind, _, value = said.partition(" ")
    if kind.lower() == "bearer" and value.strip():
        return value.strip()
    if found := _AWS_CREDENTIAL.match(said):
        return found[1]
    return next((headers[name].strip() for name in _PLAIN_HEADERS if headers.get(name)), None)


def owner(key: str, known: Iterable[KeySettings]) -> Client | None:
    """Whose key it is, in a time that tells nothing: it is compared with all that are known."""
    own, found = hashed(key), None
    for candidate in known:
        if hmac.compare_digest(own, candidate.hash):
            found = Client(candidate.name, candidate.guards)
    return found
