"""Headers by which a judge's endpoint joins the trace, as a gateway or an inference server may."""

from __future__ import annotations

import logging
import sys

_CLIENTS = "opentelemetry.instrumentation.httpx"

_log = logging.getLogger(__name__)


def trace_headers() -> dict[str, str]:
    """The current span's headers, where the service instruments HTTP clients; {} where it does not.

    Around a judge's request that instrumentation keeps quiet (``spans.quiet``), and then it sets no headers either.
    """
    if _CLIENTS not in sys.modules:
        return {}
    headers: dict[str, str] = {}
    try:
        from opentelemetry import propagate  # slow: it looks for installed propagators

        propagate.inject(headers)
    except Exception as error:
        _log.debug("no headers of the trace", exc_info=error)
    return headers
