"""Errors of the API, as the page reads them."""

from __future__ import annotations

import httpx

from guardrail.service.studio.studio import Studio

BODY = {"answer": "A bridge opened.", "passages": ["A bridge opened."]}


def test_a_fault_says_nothing_of_texts(site_with, caplog):
    studio = Studio()

    def broken(*_):
        raise RuntimeError("a secret text")

    studio.guard = broken
    with site_with(studio) as site:
        reply = httpx.post(f"{site.origin}/api/check", json=BODY, headers=site.headers)
    assert reply.status_code == 500
    assert "secret" not in reply.text
    assert "content-security-policy" in reply.headers
    assert any("a fault of the studio" in record.message for record in caplog.records)
