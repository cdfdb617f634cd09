"""The endpoints behind the proxy: named in the settings only, asked with every wait bounded."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import httpx

from guardrail.service.errors import ServiceError, Unknown
from guardrail.service.proxy.headers import Pairs, sent_headers

if TYPE_CHECKING:
    from starlette.requests import Request

    from guardrail.service.service import Service
    from guardrail.service.settings import UpstreamSettings

MOST_BYTES: Final = 64 * 1024 * 1024
"""Of a reply that is read whole, or of one event of a stream."""

_CLIENTS: Final = 8
_MOST_CONNECTIONS: Final = 1_000
_KEPT_CONNECTIONS: Final = 16
"""Of each client, when they have nothing to do."""


class UpstreamFailed(ServiceError):  # noqa: N818
    """502, 503 or 504: the upstream could not be reached, broke off, or took too long."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """An endpoint by its name."""

    name: str
    settings: UpstreamSettings


@dataclass(frozen=True, slots=True)
class Reply:
    """What an upstream replies; its body is to come ``until`` a time of the event loop's clock."""

    response: httpx.Response
    upstream: Upstream
    until: float

    @property
    def headers(self) -> Pairs:
        """As they came."""
        return self.response.headers.raw

    @property
    def is_stream(self) -> bool:
        """Whether it is a stream of events."""
        kind: str = self.response.headers.get("content-type", "")
        return kind.lower().startswith("text/event-stream")

    async def pieces(self, *, raw: bool = False) -> AsyncGenerator[bytes, None]:
        """The body as it comes; ``raw``: as it is encoded.

        Raises:
            UpstreamFailed: it breaks off, or takes too long.
        """
        with failures_named(self.upstream):
            pieces = self.response.aiter_raw() if raw else self.response.aiter_bytes()
            while True:
                async with asyncio.timeout_at(self.until):  # not around the yield: that time is the reader's
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                yield piece

    async def whole(self) -> bytes:
        """The body.

        Raises:
            UpstreamFailed: as ``pieces``, or it is too large.
        """
        body = bytearray()
        async with aclosing(self.pieces()) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) > MOST_BYTES:
                    name = f"the upstream {self.upstream.name!r}"
                    raise UpstreamFailed(502, "upstream_too_large", f"{name} said too much.")
        return bytes(body)


class Upstreams:
    """The endpoints of a service, with one client for each; safe for all tasks of one event loop."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._clients: dict[tuple[str, str], _Clients] = {}
        self._certificates = _certificates()  # takes long, so not while requests wait
        service.closing.append(self.close)

    async def close(self) -> None:
        """Close all connections."""
        clients, self._clients = list(self._clients.values()), {}
        for each in clients:
            await each.close()

    def choose(self, request: Request, model: object) -> Upstream:
        """The upstream that the header ``x-guardrail-upstream`` names; else one that serves the model, or all models.

        Raises:
            Unknown: there is none.
        """
        known = self._service.settings.upstreams
        if (name := request.headers.get("x-guardrail-upstream")) is not None:
            if name not in known:
                raise Unknown(f"no upstream {name[:64]!r}. Known: {', '.join(sorted(known)) or 'none'}.")
            return Upstream(name, known[name])
        serving = [n for n, each in known.items() if isinstance(model, str) and model in each.models]
        found = next(iter(serving or [n for n, each in known.items() if not each.models]), None)
        if found is None and model is None:  # a route without a model: the first that there is
            found = next(iter(known), None)
        if found is None:
            if not known:
                raise Unknown("no upstream is set. Add one under `upstreams` in the settings of the service.")
            raise Unknown(f"no upstream serves the model {str(model)[:64]!r}. Name it in `upstreams.NAME.models`.")
        return Upstream(found, known[found])

    @asynccontextmanager
    async def asked(
        self, upstream: Upstream, request: Request, path: str, content: bytes, *, changed: bool
    ) -> AsyncIterator[Reply]:
        """The upstream's reply, of which the body is still to be read; the connection is free after the block.

        Args:
            upstream: Whom to ask.
            request: Of the client: its method, query and headers go along.
            path: Below the upstream's base, as the client wrote it.
            content: The body.
            changed: See sent_headers.

        Raises:
            UpstreamFailed: there is no reply.
        """
        settings = self._service.settings
        keyed = bool(settings.keys) and "x-guardrail-key" not in request.headers
        headers = sent_headers(
            request.headers.raw, key=settings.secret(upstream.settings.key_env), keyed=keyed, changed=changed
        )
        until = asyncio.get_running_loop().time() + upstream.settings.seconds
        with self._clients_of(upstream).least_busy() as client:
            with failures_named(upstream):
                async with asyncio.timeout_at(until):
                    url = _url(upstream.settings.url, path, request.scope["query_string"])
                    made = client.build_request(request.method, url, headers=headers, content=content or None)
                    response = await client.send(made, stream=True, follow_redirects=False)
            try:
                yield Reply(response, upstream, until)
            finally:
                await response.aclose()

    def _clients_of(self, upstream: Upstream) -> _Clients:
        key = (upstream.name, upstream.settings.model_dump_json())
        if key not in self._clients:
            self._clients[key] = _Clients(upstream.settings, self._certificates)
        return self._clients[key]


class _Clients:
    """Several clients of one endpoint: a client looks at all of its connections for each of them at every request.

    With 64 requests at once over one client that was a quarter of what the event loop had to do.
    """

    def __init__(self, settings: UpstreamSettings, certificates: ssl.SSLContext) -> None:
        read, connect = settings.read_seconds, settings.connect_seconds
        self._clients = [
            httpx.AsyncClient(
                timeout=httpx.Timeout(read, connect=connect, pool=connect),
                limits=httpx.Limits(
                    max_connections=_MOST_CONNECTIONS // _CLIENTS, max_keepalive_connections=_KEPT_CONNECTIONS
                ),
                verify=certificates,
            )
            for _ in range(_CLIENTS)
        ]
        self._busy = [0] * _CLIENTS

    @contextmanager
    def least_busy(self) -> Iterator[httpx.AsyncClient]:
        """The one with the fewest requests under way, for the block; of several the first: its connections are open."""
        number = self._busy.index(min(self._busy))
        self._busy[number] += 1
        try:
            yield self._clients[number]
        finally:
            self._busy[number] -= 1

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.aclose()


@cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()


class failures_named:  # noqa: N801  a block, read as a verb
    """What httpx raises inside the block becomes UpstreamFailed; it says the upstream's name, never its address."""

    def __init__(self, upstream: Upstream) -> None:
        self._name = upstream.name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        name = f"the upstream {self._name!r}"
        if isinstance(error, httpx.PoolTimeout):
            raise UpstreamFailed(503, "upstream_busy", f"all connections to {name} are in use.", 1.0) from error
        if isinstance(error, (httpx.TimeoutException, TimeoutError)):
            raise UpstreamFailed(504, "upstream_timeout", f"{name} did not answer in time.") from error
        if isinstance(error, httpx.ConnectError):
            raise UpstreamFailed(502, "upstream_unreachable", f"{name} cannot be reached.") from error
        if isinstance(error, (httpx.HTTPError, httpx.StreamError)):
            raise UpstreamFailed(502, "upstream_broke_off", f"{name} broke off its reply.") from error


def below_v1(request: Request) -> str:
    """The path behind ``/v1/`` as the client wrote it.

    Raises:
        Unknown: it would leave the upstream's base, or is written so that servers read it differently.
    """
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    root = request.scope.get("root_path", "").encode()
    path = raw.split(b"?")[0].removeprefix(root).decode("latin-1")
    plain = unquote(unquote(path))
    steps = plain.removesuffix("/").replace("\\", "/").split("/")
    if (
        not path.startswith("/v1/")
        or not steps[2:]
        or ".." in steps
        or "." in steps
        or "" in steps[1:]
        or not plain.isprintable()
    ):
        raise Unknown("the path must be plain: /v1/ and names, without empty steps, '.' and '..'.")
    return path.removeprefix("/v1/")


def spelled(path: str) -> str:
    """A path below ``/v1/`` in one spelling, as lenient servers read it."""
    return unquote(unquote(path)).lower().strip("/ ;").split(";")[0]


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns fits a path."""
    return any(fnmatchcase(spelled(path), pattern.lower().strip("/")) for pattern in patterns)


def _url(base: str, path: str, query: bytes) -> httpx.URL:
    url = _plain_url(base, path)
    return url.copy_with(raw_path=url.raw_path + b"?" + query) if query else url


@lru_cache(maxsize=64)
def _plain_url(base: str, path: str) -> httpx.URL:
    """Kept, since the same few are asked for again and again and reading one takes as long as sending it."""
    root = httpx.URL(base)
    return root.copy_with(raw_path=root.raw_path.rstrip(b"/") + b"/" + path.encode("latin-1"))
