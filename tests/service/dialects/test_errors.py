"""Refusals by the layers before the routes have the vendor's form, too."""

import httpx
import pytest

from guardrail.service import dialects
from guardrail.service.errors import Busy
from guardrail.service.keys import hashed
from guardrail.service.settings import KeySettings, Limits
from tests.support.dialect_server import serving, settings

PATHS = {
    "/guardrail/strict/version/1/apply": ("message",),
    "/contentsafety/text:detectGroundedness": ("error", "code"),
    "/guards/strict/contentsafety/text:detectGroundedness": ("error", "code"),
    "/v1/projects/p/locations/global/groundingConfigs/default_grounding_config:check": ("error", "status"),
    "/beta/litellm_basic_guardrail_api": ("error", "code"),
    "/portkey": ("data", "explanation"),
    "/request": ("error", "code"),
    "/api/v1/text/context/doc": ("code",),
    "/v1/checks": ("error", "type"),
}


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    keys = (KeySettings(name="team", hash=hashed("grk_right")),)
    limits = Limits(body=1_000)
    with serving(settings(tmp_path_factory.mktemp("locked"), keys=keys, limits=limits)) as (url, _):
        yield url


def inner(body, keys):
    for key in keys:
        body = body[key]
    return body


@pytest.mark.parametrize("path", PATHS)
def test_no_key_and_too_large(path, locked):
    refused = httpx.post(locked + path, json={})
    assert refused.status_code == (403 if "version" in path else 401)
    large = httpx.post(locked + path, json={"x": "y" * 2_000}, headers={"authorization": "Bearer grk_right"})
    assert large.status_code == (400 if "version" in path else 413)
    for reply in (refused, large):
        assert inner(reply.json(), PATHS[path])


@pytest.mark.parametrize("header", ["x-api-key", "ocp-apim-subscription-key", "x-goog-api-key"])
def test_keys_in_the_vendors_headers(header, locked):
    reply = httpx.post(f"{locked}/v1/checks", json={}, headers={header: "grk_right"})
    assert reply.status_code == 422


def test_busy_says_when_to_come_again(locked):
    reply = dialects.render_error("/guardrail/x/version/1/apply", Busy("full", 3))
    assert (reply.status_code, reply.headers["x-amzn-errortype"]) == (503, "ServiceUnavailableException")
    assert dialects.render_error("/v1/check", Busy("full", 3)) is None
