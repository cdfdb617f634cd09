"""Which headers go which way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pydantic import SecretStr

Pairs = list[tuple[bytes, bytes]]

_HOP: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer trailers "
    b"transfer-encoding upgrade http2-settings".split()
)
"""Of one connection, not of the message (RFC 9110, section 7.6.1)."""

_CREDENTIALS: Final = frozenset(b"authorization api-key x-api-key ocp-apim-subscription-key x-goog-api-key".split())
_NOT_SENT: Final = _HOP | {b"host", b"content-length", b"expect", b"accept-encoding"}
_NOT_DELIVERED: Final = _HOP | {b"server", b"date"}
_BODY: Final = frozenset({b"content-length", b"content-encoding"})
_OURS: Final = b"x-guardrail-"


def sent_headers(given: Iterable[tuple[bytes, bytes]], *, key: SecretStr | None, keyed: bool, changed: bool) -> Pairs:
    """The headers of a request on its way to the upstream.

    Args:
        given: Of the client.
        key: The upstream's; it takes the place of the client's own.
        keyed: Whether the credentials of the client are a key of this service: then they stay here.
        changed: Whether the body of the reply will be read, so that it must not be compressed.
    """
    listed = [(name.lower(), value) for name, value in given]
    dropped = _NOT_SENT | _named(listed) | (_CREDENTIALS if keyed or key is not None else frozenset())
    kept = [(n, v) for n, v in listed if n not in dropped and not n.startswith(_OURS)]
    codings = [v for n, v in listed if n == b"accept-encoding"]
    kept.append((b"accept-encoding", b"identity" if changed or not codings else b", ".join(codings)))
    if key is not None:
        kept.append((b"authorization", b"Bearer " + key.get_secret_value().encode()))
    return kept


def delivered_headers(given: Iterable[tuple[bytes, bytes]], *, changed: bool) -> Pairs:
    """The headers of a reply on its way to the client; ``changed``: its body is another one."""
    listed = [(name.lower(), value) for name, value in given]
    dropped = _NOT_DELIVERED | _named(listed) | (_BODY if changed else frozenset())
    kept = [(n, v) for n, v in listed if n not in dropped and not n.startswith(_OURS)]
    return [(b"x-upstream-request-id" if n == b"x-request-id" else n, v) for n, v in kept]


def _named(listed: Pairs) -> frozenset[bytes]:
    """What the header Connection names as its own."""
    values = b",".join(value for name, value in listed if name == b"connection")
    return frozenset(part.strip().lower() for part in values.split(b",") if part.strip())
