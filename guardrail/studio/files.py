"""The page's own files. They are read once; a request only picks one by its name, so no path leaves the folder."""

from __future__ import annotations

from functools import cache
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


_ASKED = b'<meta name="guardrail-key" content="%s">'


def routes(*, token: bool = True) -> list[Route]:
    """``/`` and the files below it.

    Args:
        token: Whether the page finds its token in its address; False: it asks for the key of a service.
    """
    pages = dict(_pages())
    if not token:
        pages["index.html"] = pages["index.html"].replace(_ASKED % b"token", _ASKED % b"service")

    async def page(request: Request) -> Response:
        name = request.path_params.get("name") or "index.html"
        if name not in pages:
            raise HTTPException(404)
        return Response(pages[name], media_type=_KINDS[name.rpartition(".")[2]])

    return [Route("/", page), Route("/{name:path}", page)]


def names() -> tuple[str, ...]:
    """The names of all files, such as ``parts/h.js``."""
    return tuple(_pages())


@cache
def _pages() -> dict[str, bytes]:
    return dict(_read(files("guardrail.studio").joinpath("pages"), ""))


def _read(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found.extend(_read(entry, f"{prefix}{entry.name}/"))
        elif entry.name.rpartition(".")[2] in _KINDS:
            found.append((prefix + entry.name, entry.read_bytes()))
    return found
