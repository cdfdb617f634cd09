"""The OpenAI-compatible proxy: chat completions and responses are checked on their way, all else passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.routing import Route

    from guardrail.service.errors import ServiceError
    from guardrail.service.service import Service

_FAMILIES = frozenset(
    "assistants audio batches chat completions containers conversations embeddings engines evals files fine_tuning "
    "images messages models moderations rerank responses threads uploads vector_stores videos".split()
)
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]


def routes(service: Service) -> list[Route]:
    """The routes of the proxy; the last one takes all that is left below ``/v1``."""
    from starlette.routing import Route

    from guardrail.service.proxy.handlers import APIS, Guarded
    from guardrail.service.proxy.passthrough import Passing
    from guardrail.service.proxy.upstream import Upstreams

    upstreams = Upstreams(service)
    guarded = [Route(f"/v1/{api.path}", Guarded(service, upstreams, api).answer, methods=["POST"]) for api in APIS]
    rest = Passing(service, upstreams, tuple(api.path for api in APIS))
    return [*guarded, Route("/v1/{path:path}", rest.answer, methods=_METHODS)]


def render_error(path: str, error: ServiceError) -> Response | None:
    """Errors below the paths of the OpenAI protocol in its form; None = the path is somebody else's."""
    steps = path.split("/")
    if "v1" not in steps or not _FAMILIES & set(steps[steps.index("v1") + 1 :][:1]):
        return None
    from starlette.responses import JSONResponse, Response

    from guardrail.service.proxy.chunks import ErrorEvent
    from guardrail.service.proxy.errors import error_body

    if isinstance(error, ErrorEvent):  # what the upstream says, with a real status
        return Response(error.data.encode(), error.status, media_type="application/json")
    return JSONResponse(error_body(error), error.status)
