"""The pictures of docs/studio.md: `guardrail studio` in a real browser.

    pip install "rag-guardrail[studio]" playwright pillow
    python examples/studio/screenshots.py --out docs/images

It drives the Chromium that is installed on this machine, and opens no other page than the studio's.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

WIDE = {"width": 1280, "height": 860}
SMALL = {"width": 400, "height": 860}
COLOURS = 96
WAIT = 120_000
"""Milliseconds that a slow machine may take."""


@contextmanager
def studio(*arguments: str) -> Iterator[str]:
    """The command with these arguments; gives its address."""
    command = [sys.executable, "-m", "guardrail.cli.main", "studio", "--no-browser", "--port", "0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603  our own command
        try:
            said = process.stderr.readline() if process.stderr else ""
            found = re.search(r"http://\S+", said)
            if not found:
                sys.exit(f"the studio did not start: {said}")
            yield found[0]
        finally:
            process.terminate()


def check_form(page: Page, address: str) -> None:
    """The Check view, filled in."""
    page.goto(address)
    page.get_by_label("Example").select_option(label="Why was Larkmoor Dam closed in 2021?")


def check_result(page: Page, address: str) -> None:
    """An answer that turns a cause round."""
    check_form(page, address)
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".result").wait_for()
    page.mouse.move(0, 0)


def namesakes(page: Page, address: str) -> None:
    """An answer that mixes up two people of one name."""
    page.goto(address)
    page.get_by_label("Example").select_option(label="Who was Dick Hanley?")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".result").wait_for()
    page.mouse.move(0, 0)


PICTURES: dict[str, tuple[Callable[[Page, str], None], dict[str, int], str, bool]] = {
    "studio-form": (check_form, WIDE, "light", False),
    "studio-check": (check_result, WIDE, "light", True),
    "studio-check-dark": (namesakes, WIDE, "dark", True),
    "studio-check-small": (check_result, SMALL, "light", False),
}
"""Name of the file: what to open, size of the window, colours, whether the whole page is taken."""


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    out = parser.parse_args().out
    browser = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
    )
    if not browser:
        sys.exit("There is no Chromium on the path. Install it (Debian: apt-get install chromium).")
    with studio() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for name, (show, size, scheme, whole) in PICTURES.items():
            context = chromium.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            context.set_default_timeout(WAIT)
            page = context.new_page()
            show(page, address)
            page.screenshot(path=out / f"{name}.png", full_page=whole)
            with Image.open(out / f"{name}.png") as picture:  # few colours: a palette takes a third of the bytes
                small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            small.save(out / f"{name}.png", optimize=True)
            print(out / f"{name}.png", (out / f"{name}.png").stat().st_size // 1000, "kB")
            context.close()


if __name__ == "__main__":
    main()
