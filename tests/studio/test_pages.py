"""The shell in a real browser, and the files that the wheel holds."""

import re
from pathlib import Path

import guardrail.studio

FILES = [path for path in (Path(guardrail.studio.__file__).parent / "pages").rglob("*") if path.is_file()]
SVG = "http://www.w3.org/2000/svg"  # a name, which nothing opens


def test_the_files_are_small_and_name_no_other_site():
    assert sum(path.stat().st_size for path in FILES) < 400_000
    for path in FILES:
        named = set(re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"')]*", path.read_text(encoding="utf-8")))
        assert named <= {SVG}, path.name


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
