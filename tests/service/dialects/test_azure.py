"""Azure's groundedness detection: requests as its clients send them, and the exact responses."""

from __future__ import annotations

import pytest

from tests.support.golden_requests import answers_exactly, golden, refused_in_form


@pytest.mark.parametrize("cases", golden("azure"))
def test_exact_response(cases, url):
    answers_exactly(url, cases)


@pytest.mark.parametrize(
    "path", ["/contentsafety/text:detectGroundedness", "/guards/strict/contentsafety/text:detectGroundedness"]
)
def test_refusals_have_the_vendors_form(path, locked):
    refused_in_form(locked, path, "error", "code")
