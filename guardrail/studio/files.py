"""The page's own files. They are read once; a request only picks one by its name, so no path leaves the folder."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}


def routes() -> list[Route]:
    """``/`` and the files below it."""
    pages = dict(_read(files("guardrail.studio").joinpath("pages"), ""))

    async def page(request: Request) -> Response:
        name = request.path_params.get("name") or "index.html"
        if name not in pages:
            raise HTTPException(404)
        return Response(pages[name], media_type=_KINDS[name.rpartition(".")[2]])

    return [Route("/", page), Route("/{name:path}", page)]


def _read(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found.extend(_read(entry, f"{prefix}{entry.name}/"))
        elif entry.name.rpartition(".")[2] in _KINDS:
            found.append((prefix + entry.name, entry.read_bytes()))
    return found
