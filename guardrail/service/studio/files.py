"""The page's own files. They are read once; a request only picks one by its name, so no path leaves the folder.

``index.html`` names the others below a folder that is called by a hash of them all, so that a browser may keep them for
good. It says, too, which modules each view needs in the end: a browser that learns of them one import after another
waits for one reply after another.
"""

from __future__ import annotations

import json
import posixpath
import re
from functools import cache
from hashlib import blake2b
from html import escape
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
_OWN = re.compile(rb'\b(href|src)="(?=[\w/]+\.\w+")')
_AHEAD = b"<!-- modules -->"
_IMPORTED = re.compile(r"""^import\b[^"']*["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)
_FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable"}


def routes(*, token: bool = True) -> list[Route]:
    """``/`` and the files below it.

    Args:
        token: Whether the page finds its token in its address; False: it asks for the key of a service.
    """
    pages, folder = dict(_pages()), f"{version()}/"
    pages["index.html"] = _with_modules(pages["index.html"], folder)
    if not token:
        pages["index.html"] = pages["index.html"].replace(_ASKED % b"token", _ASKED % b"service")

    async def page(request: Request) -> Response:
        asked = request.path_params.get("name") or "index.html"
        name = asked.removeprefix(folder)
        if name not in pages or asked == f"{folder}index.html":
            raise HTTPException(404)
        return Response(
            pages[name], media_type=_KINDS[name.rpartition(".")[2]], headers=None if name == asked else _FOR_GOOD
        )

    return [Route("/", page), Route("/{name:path}", page)]


def names() -> tuple[str, ...]:
    """The names of all files, such as ``parts/h.js``."""
    return tuple(_pages())


def paths() -> tuple[str, ...]:
    """All names under which a file is served: ``names``, and those in the folder that is called by the hash."""
    return (*names(), *(f"{version()}/{name}" for name in names() if name != "index.html"))


@cache
def version() -> str:
    """Another one once any file is another."""
    found = blake2b(digest_size=8)
    for name, content in sorted(_pages().items()):
        found.update(f"{name} {len(content)} ".encode() + content)
    return found.hexdigest()


def modules(name: str) -> tuple[str, ...]:
    """The module of this name and all that it imports, those that it imports itself first."""
    found = [name]
    for module in found:  # grows meanwhile
        for path in _IMPORTED.findall(_pages()[module].decode()):
            imported = posixpath.normpath(posixpath.join(posixpath.dirname(module), path))
            if imported not in found:
                found.append(imported)
    return tuple(found)


def _with_modules(index: bytes, folder: str) -> bytes:
    """The page with its files in this folder, and the modules of the shell and of each view (``ahead.js``)."""
    shell = modules("main.js")
    views = {
        name[len("views/") : -len(".js")]: [f"{folder}{module}" for module in modules(name) if module not in shell]
        for name in names()
        if name.startswith("views/")
    }
    lines = [f'<meta name="guardrail-modules" content="{escape(json.dumps(views))}">']
    lines += [f'<link rel="modulepreload" href="{module}">' for module in shell]
    return _OWN.sub(rb'\1="' + folder.encode(), index.replace(_AHEAD, "\n".join(lines).encode()))


@cache
def _pages() -> dict[str, bytes]:
    return dict(_read(files("guardrail.service.studio").joinpath("pages"), ""))


def _read(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found.extend(_read(entry, f"{prefix}{entry.name}/"))
        elif entry.name.rpartition(".")[2] in _KINDS:
            found.append((prefix + entry.name, entry.read_bytes()))
    return found
