"""The studio as an application."""

from __future__ import annotations

from guardrail.service.studio.studio import Studio


def test_every_run_has_its_own_token(site, site_with):
    with site_with(Studio()) as other:
        assert other.token != site.token
        assert len(other.token) >= 32
