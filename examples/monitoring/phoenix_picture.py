"""A picture of the guard's spans in Arize Phoenix, as in the documentation.

    pip install playwright
    python examples/monitoring/phoenix_picture.py --phoenix http://127.0.0.1:6006 --out docs/images/phoenix.png

Run phoenix.py first. It drives the chromium that is installed on this machine.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from http_calls import get
from playwright.sync_api import sync_playwright

SIZE = {"width": 1600, "height": 1000}
LEFT, TOP = 400, 46
"""Pixels that show Phoenix's menus, not the trace."""


def page_of(phoenix: str, project: str, policy: str) -> str:
    """Address of the trace of the newest answer under a policy, with the guard's span selected."""
    projects = json.loads(get(f"{phoenix}/v1/projects"))["data"]
    at = next(each["id"] for each in projects if each["name"] == project)
    spans: list[dict[str, Any]] = json.loads(get(f"{phoenix}/v1/projects/{project}/spans?limit=1000"))["data"]
    span = next(
        each for each in spans if each["name"] == "guardrail.check" and each["attributes"]["guardrail.policy"] == policy
    )
    return f"{phoenix}/projects/{at}/traces/{span['context']['trace_id']}?selectedSpanNodeId={span['id']}"


def main() -> None:
    """Open the page, wait until it has drawn, and keep the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phoenix", default="http://127.0.0.1:6006")
    parser.add_argument("--project", default="larkmoor")
    parser.add_argument("--policy", default="repair")
    parser.add_argument("--out", type=Path, default=Path("docs/images/phoenix.png"))
    given = parser.parse_args()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.goto(page_of(given.phoenix, given.project, given.policy))
        page.get_by_role("tab", name="Attributes").last.click()
        page.get_by_text("guardrail.verdict").wait_for()
        page.wait_for_timeout(1000)  # the panel slides in
        clip = {"x": LEFT, "y": TOP, "width": SIZE["width"] - LEFT, "height": SIZE["height"] - TOP}
        page.screenshot(path=given.out, clip=clip)
        browser.close()


if __name__ == "__main__":
    main()
