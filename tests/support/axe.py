"""Faults of accessibility, as axe finds them."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe


def serious_faults(page):
    """Serious and critical ones: rule and the first element each."""
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
