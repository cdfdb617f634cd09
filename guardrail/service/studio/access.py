"""Who may use the studio: the page itself, opened by whoever started it. Each rule stands before any body is read.

The address holds a random token, so that other programs and users of this machine cannot ask. The name of the host is
checked, so that no other site can have its own name lead here (DNS rebinding); and the origin, so that no page of
others sends anything. The Content-Security-Policy lets the page load nothing but its own files.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from guardrail.service.access import LOOPBACK
from guardrail.service.studio.errors import StudioError, refused

TOKEN_HEADER = "x-studio-token"  # noqa: S105  the name of a header

MOST_BYTES = 32 * 1024 * 1024
"""Of one request's body: 1 MB answers with 2,000 passages fit."""

PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def new_token() -> str:
    """192 random bits, for the address of one run of the studio."""
    return secrets.token_urlsafe(24)


class Access:
    """Refuses requests of others, and gives every reply the headers that shut the page off.

    Args:
        app: What it stands before.
        token: What requests to ``/api`` must send in the header ``x-studio-token``; None: somebody else checks who
            asks (``guardrail serve``).
        hosts: Names that requests may use for this machine; a wildcard address among them admits any address in
            numbers, which no other site's name can lead to.
    """

    def __init__(self, app: ASGIApp, token: str | None, hosts: Collection[str] = LOOPBACK) -> None:
        self._app = app
        self._token = token
        self._hosts = {*LOOPBACK, *(host.lower() for host in hosts)}
        self._any_address = any(_is_wildcard(host) for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        own_path, began = scope["path"].removeprefix(scope.get("root_path", "")), False

        async def sending(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                headers = MutableHeaders(scope=message)
                for name, value in PAGE_HEADERS.items():
                    headers[name] = value
                if own_path.startswith("/api/"):
                    headers["cache-control"] = "no-store"
                headers.setdefault("cache-control", "no-cache")
            await send(message)

        try:
            self._admit(scope["method"], own_path, Headers(scope=scope))
            await self._app(scope, receive, sending)
        except Exception as error:
            if began:  # a reply that has begun can only break off
                raise
            await refused(Request(scope), error)(scope, receive, sending)

    def _admit(self, method: str, path: str, headers: Headers) -> None:
        host = headers.get("host", "")
        if self._token is not None and not self._is_ours(_name_of(host)):
            raise StudioError(421, "The studio does not go by that name. Open the address that it printed.")
        if not path.startswith("/api/"):
            return
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            raise StudioError(403, "The request comes from another page.")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise StudioError(403, "The request comes from another page.")
        given = headers.get(TOKEN_HEADER, "")
        if self._token is not None and not secrets.compare_digest(given.encode(), self._token.encode()):
            raise StudioError(
                401, "This page has no valid key. Open the address that `guardrail studio` printed.", TOKEN_HEADER
            )
        if method == "POST":
            _refuse_body(headers)

    def _is_ours(self, host: str) -> bool:
        return host in self._hosts or (self._any_address and _is_address(host))


def _refuse_body(headers: Headers) -> None:
    """Only JSON of a stated size: a form of another page cannot say that it is JSON without being asked about."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise StudioError(415, "Send the body as JSON, with `Content-Type: application/json`.")
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        raise StudioError(411, "Say the size of the body in Content-Length.")
    if int(length[:20]) > MOST_BYTES:
        raise StudioError(413, f"The request is over {MOST_BYTES // 1024**2} MiB. Leave out what is not needed.")


def _name_of(host: str) -> str:
    """The name without the port."""
    found = re.fullmatch(r"\[([0-9A-Fa-f:.]+)\](:\d+)?|([^:\[\]]*)(:\d+)?", host)
    return ((found[1] or found[3] or "") if found else "").lower()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_wildcard(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host).is_unspecified
