"""LiteLLM's two calls about one answer, as its proxy makes them."""

from __future__ import annotations

import httpx

from tests.support.dialect_server import SOURCE

PATH = "/beta/litellm_basic_guardrail_api"
MESSAGES = [
    {"role": "system", "content": f"<context>{SOURCE}</context>"},
    {"role": "user", "content": "How high is it?"},
]


def asked(url, call="call-1", trace=None, params=None):
    body = {"input_type": "request", "texts": ["How high is it?"], "structured_messages": MESSAGES}
    body |= {"litellm_call_id": call, "litellm_trace_id": trace, "request_data": {}}
    return httpx.post(url + PATH, json=body | {"additional_provider_specific_params": params}).json()


def answered(url, *texts, call="call-1", trace=None, params=None):
    body = {"input_type": "response", "texts": list(texts), "litellm_call_id": call, "litellm_trace_id": trace}
    return httpx.post(
        url + PATH, json=body | {"request_data": {}, "additional_provider_specific_params": params}
    ).json()
