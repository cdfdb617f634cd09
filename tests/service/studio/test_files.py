"""The shell in a real browser, and the files that the wheel holds."""

import re
import socket
from pathlib import Path

import httpx
import pytest

import guardrail.service.studio
from guardrail.service.studio import files

FILES = [path for path in (Path(guardrail.service.studio.__file__).parent / "pages").rglob("*") if path.is_file()]
SVG = "http://www.w3.org/2000/svg"  # a name, which nothing opens


def test_the_files_are_small_and_name_no_other_site():
    assert sum(path.stat().st_size for path in FILES) < 400_000
    for path in FILES:
        named = set(re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"')]*", path.read_text(encoding="utf-8")))
        assert named <= {SVG}, path.name


def test_the_page_names_its_files_by_a_hash_and_they_are_kept_for_good(site):
    index = httpx.get(site.origin)
    assert index.headers["cache-control"] == "no-cache"
    named = re.findall(r'(?:src|href)="(\w+/[^"]+)"', index.text)
    assert len(named) >= 6
    for path in named:
        reply = httpx.get(f"{site.origin}/{path}")
        assert reply.status_code == 200
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
    folder, name = named[0].split("/", 1)
    assert folder == files.version()
    for other in (
        f"{'0' * len(folder)}/{name}",
        f"{folder}/index.html",
        f"{folder}/nothing.js",
        f"{folder}/api/choices",
    ):
        refused = httpx.get(f"{site.origin}/{other}")
        assert (refused.status_code, refused.headers["cache-control"]) == (404, "no-cache")


def test_another_file_is_another_hash(monkeypatch):
    changed = {**files._pages(), "style.css": b"body { margin: 0 }"}
    before = files.version()
    files.version.cache_clear()
    monkeypatch.setattr(files, "_pages", lambda: changed)
    assert files.version() != before
    monkeypatch.undo()
    files.version.cache_clear()


@pytest.mark.parametrize("view", ["check", "browse", "label", "set", "compare", "watch"])
def test_a_view_asks_for_all_its_modules_before_the_shell_is_there(page, site, view):
    asked, held = [], []

    def note(request):
        asked.append(request)

    def hold(route):
        held.append(route)

    page.on("request", note)
    page.route(re.compile(r"/main\.js$"), hold)
    page.goto(site.at(f"/{view}"), wait_until="commit")

    def requested():
        return [request.url.split(f"{files.version()}/")[-1] for request in asked if request.url.endswith(".js")]

    while {*files.modules("main.js"), *files.modules(f"views/{view}.js")} - {*requested()}:
        page.wait_for_event("request")
    held[0].continue_()
    page.locator(f".view-{view} > :not(.state-loading)").first.wait_for()
    assert len(requested()) == len({*requested()})  # nothing is loaded twice


def test_the_page_opens_with_its_token_and_hides_it(page, site):
    page.goto(site.url)
    page.get_by_text("Nothing checked yet").wait_for()
    assert site.token not in page.url
    assert page.locator("nav a[aria-current]").inner_text() == "Check"


def test_a_page_without_a_token_can_be_unlocked(page, site):
    page.goto(site.origin)
    page.get_by_role("heading", name="This page is locked").wait_for()
    page.get_by_label("Address or token").fill(site.url)
    page.get_by_role("button", name="Unlock").click()
    page.get_by_text("Nothing checked yet").wait_for()


@pytest.mark.parametrize(
    "path",
    ["/../errors.py", "/..%2ferrors.py", "/%2e%2e/errors.py", "/parts/../../errors.py", "//etc/passwd", "/parts"],
)
def test_no_path_leads_out_of_the_page(site, path):
    with socket.create_connection(("127.0.0.1", int(site.origin.rpartition(":")[2])), 60) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())  # httpx would resolve the dots
        assert connection.recv(200).startswith(b"HTTP/1.1 404")
