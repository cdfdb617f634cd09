"""How long the studio's views take over a large record store, in a real browser, and what memory its process takes.

    pip install playwright            # and Chromium on the path
    PYTHONPATH=. python benchmarks/studio.py [--records 100000] [--runs 5]

For each view: milliseconds of wall time from the address to the page that answers (what it is about stands there, and
the browser has drawn it), once in the studio that has just begun, then the median of ``--runs`` new tabs, whose browser
has nothing in its cache; and what a click inside the view takes. Beside them the processor time of the studio's process
for one opening, which other work on the machine lengthens least; and its memory.

The first row is what a new tab of a new profile takes before anything of the page is there (a process, a connection, a
frame); it is part of all others.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.recorded_answers import write_store

WAIT = 600_000
"""Milliseconds that a busy machine may take."""

VIEWS = {
    "(any page's first frame)": ("/check", "html"),
    "Check": ("/check", ".view-check textarea"),
    "Browse": ("/browse", ".view-browse a.record-item"),
    "What changed": ("/browse?tab=changes", ".view-browse tbody tr"),
    "Label": ("/label", ".view-label #label-by"),
    "Label, a random draw": ("/label?order=random&seed={run}&limit=60", ".view-label .sentence.at-hand"),
    "Label, worst first": ("/label?order=worst&seed={run}&limit=60", ".view-label .sentence.at-hand"),
    "Set": ("/set", ".view-set #set-engine"),
    "Set, 60 answers judged": ("/set", ".view-set #set-threshold"),
    "Compare": ("/compare", ".view-compare > form button"),
    "Watch": ("/watch", ".view-watch svg.chart"),
    "Watch, lines by topic": ("/watch?by=topic", ".view-watch svg.chart"),
}
"""Title: address, and what stands there once it can be used."""

SHOWN = """async (selector) => {
  while (!document.querySelector(selector)) await new Promise((go) => requestAnimationFrame(go));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now();
}"""
"""Milliseconds since the navigation began, once the browser has drawn it and is idle."""

CLICKED = """async ([selector, value, gone, shown]) => {
  const control = document.querySelector(selector), before = document.querySelector(gone), began = performance.now();
  if (value === null) control.click();
  else { control.value = value; control.dispatchEvent(new Event("change", { bubbles: true })); }
  while (before.isConnected && before.checkVisibility() || !document.querySelector(shown))
    await new Promise((go) => requestAnimationFrame(go));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now() - began;
}"""
"""Milliseconds from a click (or a choice) until what was there is gone and the new one is drawn."""

CLICKS = {
    "Browse: only one verdict": ("Browse", "#filter-verdict", "unsupported", "a.record-item", "a.record-item"),
    "Browse: newest first": ("Browse", "#order", "newest", "a.record-item", "a.record-item"),
    "Browse: an answer opens": ("Browse", "a.record-item", None, "a.record-item", ".record .segment"),
    "What changed: by topic": ("What changed", "#by", "topic", "tbody tr", "tbody tr"),
    "What changed: only one topic": ("What changed", "#filter-topic", "billing", "tbody tr", "tbody tr"),
    "Watch: lines by release": ("Watch", "#by", "release", "svg.chart", "svg.chart"),
}
"""Title: view, control, what it is set to (None: a click), what goes, what comes."""


@contextmanager
def studio(store: Path) -> Iterator[tuple[int, str]]:
    """``guardrail studio`` as a process: its number and its address."""
    command = [sys.executable, "-m", "guardrail.cli.main", "studio", str(store), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline() if process.stderr else ""
        found = re.search(r"http://\S+", line)
        try:
            if not found:
                sys.exit(f"the studio did not start: {line}")
            yield process.pid, found[0]
        finally:
            process.terminate()


def label(address: str, answers: int) -> None:
    """As one person would: every sentence supported, but of every third answer."""
    origin, _, token = address.partition("/#token=")
    with httpx.Client(base_url=f"{origin}/api/", headers={"x-studio-token": token}, timeout=WAIT / 1000) as client:
        queue = {"by": "Ana", "order": "random", "seed": 1, "limit": answers}
        for number, item in enumerate(client.get("label/queue", params=queue).raise_for_status().json()["items"]):
            asked = {"id": item["id"], "by": "Ana", "order": "random"}
            sheet = client.get("label/item", params=asked).raise_for_status().json()
            for segment in sheet["segments"]:
                said = {"item": item["id"], "by": "Ana", "order": "random", "segment": segment["id"],
                        "label": "supported" if number % 3 else "unsupported", "error_type": None, "error_spans": [],
                        "evidence": []}  # fmt: skip
                client.post("label/say", json=said).raise_for_status()


def opened(browser: Browser, address: str, title: str, run: int) -> tuple[Page, float]:
    """The view in a new tab of a new profile, and its milliseconds."""
    path, shown = VIEWS[title]
    context = browser.new_context()
    context.set_default_timeout(WAIT)
    context.add_init_script("sessionStorage.setItem('guardrail-studio-labeller', 'Bo')")
    page = context.new_page()
    page.goto(f"{address}&{path.format(run=run)}", wait_until="commit")
    return page, page.evaluate(SHOWN, shown)


def memory(process: int) -> str:
    """Now and at most, where the system says it (Linux)."""
    try:
        said = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return "unknown"
    now, most = (int(re.findall(rf"{name}:\s+(\d+) kB", said)[0]) / 1000 for name in ("VmRSS", "VmHWM"))
    return f"{now:.0f} MB, at most {most:.0f} MB"


def processor(process: int) -> float:
    """Milliseconds of processor time until now, where the system says it (Linux)."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.nan
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(browser: Browser, store: Path, runs: int, labels: int) -> None:
    """Print all figures."""
    with studio(store) as (process, address):
        print(f"memory of the studio that has just begun: {memory(process)}")
        print(f"\n{'view':30}{'first':>8}{'median':>8}{'worst':>8}{'cpu':>8}   memory")
        for title in VIEWS:
            if title == "Set":
                label(address, labels)
            times, spent = [], []
            for run in range(runs + 1):
                before = processor(process)
                page, taken = opened(browser, address, title, run + 1)
                times.append(taken)
                spent.append(processor(process) - before)
                page.context.close()
            print(f"{title:30}{times[0]:8.0f}{median(times[1:]):8.0f}{max(times[1:]):8.0f}{median(spent[1:]):8.0f}   "
                  f"{memory(process)}", flush=True)  # fmt: skip
        print(f"\n{'click':30}{'median':>8}{'worst':>8}   memory")
        for title, (view, *click) in CLICKS.items():
            times = []
            for run in range(runs):
                page, _ = opened(browser, address, view, run + 1)
                times.append(page.evaluate(CLICKED, click))
                page.context.close()
            print(f"{title:30}{median(times):8.0f}{max(times):8.0f}   {memory(process)}", flush=True)


def main() -> None:
    """Make a store, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--labels", type=int, default=60)
    given = parser.parse_args()
    path = next((found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None)
    if path is None:
        sys.exit("There is no Chromium on the path. Install it (Debian: apt-get install chromium).")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "guardrail.db"
        write_store(store, given.records, now=time.time())
        print(f"{given.records:,} records, {store.stat().st_size / 1e6:.0f} MB; {os.cpu_count()} cores, "
              f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        measure(browser, store, given.runs, given.labels)
        browser.close()
        print(f"load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
