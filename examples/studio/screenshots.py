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
from tempfile import TemporaryDirectory

from bridges import write_answers, write_labels, write_store
from PIL import Image
from playwright.sync_api import Page, sync_playwright

WIDE = {"width": 1280, "height": 860}
SMALL = {"width": 400, "height": 860}
COLOURS = 224
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


def label_desk(page: Page, address: str) -> None:
    """A wrong sentence labelled, with the kind of its error, and what the guard thinks."""
    page.goto(f"{address}&/label")
    page.get_by_label("Your name").fill("Bo")
    page.get_by_label("How many").fill("20")
    page.keyboard.press("Enter")
    at_hand = page.locator(".sentence.at-hand")
    at_hand.wait_for()
    while "violinist" not in page.locator(".answer-text").inner_text():
        page.keyboard.press("s")
        page.wait_for_function("text => !document.querySelector('.answer-text')?.innerText.includes(text)",
                               arg=page.locator(".answer-text").inner_text())  # fmt: skip
        at_hand.wait_for()
    page.keyboard.press("1")
    page.locator(".answer-side").get_by_text("sentence 2 of 2").wait_for()
    page.get_by_text("Kept.").wait_for()
    page.keyboard.press("h")


def set_thresholds(page: Page, address: str) -> None:
    """Sixty labels, and what a threshold does to them."""
    page.goto(f"{address}&/set")
    page.get_by_role("slider", name="Threshold").wait_for()
    page.get_by_label("At most").fill("20")
    page.get_by_role("button", name="Find the threshold").click()
    page.get_by_text("at most 20 % are delivered as supported").wait_for()


def browse(page: Page, address: str) -> None:
    """Recorded answers, the worst first."""
    page.goto(f"{address}&/browse")
    page.locator("a.record-item").first.wait_for()


def what_changed(page: Page, address: str) -> None:
    """Two releases side by side."""
    page.goto(f"{address}&/browse?tab=changes")
    page.locator("tbody tr").first.wait_for()


def watch(page: Page, address: str) -> None:
    """Rates of two weeks, a line for each topic."""
    page.goto(f"{address}&/watch?by=topic")
    page.locator("svg.chart").first.wait_for()


PICTURES: dict[str, tuple[Callable[[Page, str], None], dict[str, int], str, bool]] = {
    "studio-form": (check_form, WIDE, "light", False),
    "studio-check": (check_result, WIDE, "light", True),
    "studio-check-dark": (namesakes, WIDE, "dark", True),
    "studio-check-small": (check_result, SMALL, "light", False),
    "studio-label": (label_desk, WIDE, "light", False),
    "studio-set": (set_thresholds, WIDE, "light", True),
    "studio-browse": (browse, WIDE, "light", False),
    "studio-changed": (what_changed, WIDE, "light", False),
    "studio-watch": (watch, WIDE, "dark", True),
}
"""Name of the file: what to open, size of the window, colours, whether the whole page is taken."""

LABELLED = ("studio-label", "studio-set")
"""Those of a studio with answers and labels."""

RECORDED = ("studio-browse", "studio-changed", "studio-watch")
"""Those of a studio with a record store."""


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    parser.add_argument("--only", choices=tuple(PICTURES), nargs="+", default=tuple(PICTURES))
    given = parser.parse_args()
    out = given.out
    browser = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
    )
    if not browser:
        sys.exit("There is no Chromium on the path. Install it (Debian: apt-get install chromium).")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        answers = write_answers(Path(folder) / "answers.jsonl")
        write_labels(answers)
        store = write_store(Path(folder) / "guardrail.db") if {*RECORDED} & {*given.only} else None
        sources = {name: [str(answers), "--policy-out", f"{folder}/policy.yaml"] for name in LABELLED}
        sources |= {name: [str(store)] for name in RECORDED}
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for name in given.only:
            show, size, scheme, whole = PICTURES[name]
            context = chromium.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            context.set_default_timeout(WAIT)
            page = context.new_page()
            with studio(*sources.get(name, [])) as address:
                show(page, address)
                page.screenshot(path=out / f"{name}.png", full_page=whole)
            with Image.open(out / f"{name}.png") as picture:  # few colours: a palette takes a third of the bytes
                small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            small.save(out / f"{name}.png", optimize=True)
            print(out / f"{name}.png", (out / f"{name}.png").stat().st_size // 1000, "kB")
            context.close()


if __name__ == "__main__":
    main()
