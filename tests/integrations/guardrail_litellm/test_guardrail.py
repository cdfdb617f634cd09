"""The real LiteLLM proxy in a process of its own, before a scripted upstream: the class, the generic API, Bedrock's."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time

import httpx
import pytest
import yaml

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else the import itself looks for a newer one
pytest.importorskip("litellm.proxy", reason="litellm[proxy] is not installed (docs/plugins.md says how it is tested)")
pytest.importorskip("apscheduler", reason="litellm[proxy] is not installed")
from guardrail.repair.edits import BLOCKED
from guardrail.testing import OpenAIServer, Reply
from tests.support.dialect_server import RIGHT, SOURCE, WRONG, serving, settings

ASKED = [
    {"role": "system", "content": f"Answer from the context.\n<context>{SOURCE}</context>"},
    {"role": "user", "content": "How high is it?"},
]
TAGGED = [
    {"role": "system", "content": [{"type": "grounding_source", "text": SOURCE}]},
    {"role": "user", "content": [{"type": "query", "text": "How high is it?"}]},
]
KEY = f"sk-{secrets.token_hex(32)}"
LONG = f"{RIGHT} {WRONG} The road on top of it is closed to all traffic in the winter months."


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """The address of a proxy with a guardrail of each kind."""
    folder = tmp_path_factory.mktemp("litellm")
    texts = {"right": RIGHT, "wrong": f"{RIGHT} {WRONG}", "long": LONG}
    with (
        OpenAIServer(lambda body: Reply(texts[body["model"]])) as upstream,
        serving(settings(folder)) as (url, _),
    ):
        (folder / "policy.yaml").write_text("actions: {contradicted: redact, unsupported: redact}\n")

        def generic(name, guard):
            params = {"guardrail": "generic_guardrail_api", "mode": ["pre_call", "post_call"], "api_base": url}
            params |= {
                "additional_provider_specific_params": {"guard": guard},
                "streaming_transform_mode": "incremental_diff",
            }
            return {"guardrail_name": name, "litellm_params": params | {"streaming_sampling_rate": 2}}

        def bedrock(name, guard):
            params = {
                "guardrail": "bedrock",
                "mode": "post_call",
                "guardrailIdentifier": guard,
                "guardrailVersion": "1",
            }
            params |= {"aws_bedrock_runtime_endpoint": url, "aws_region_name": "us-east-1"}
            return {
                "guardrail_name": name,
                "litellm_params": params | {"aws_access_key_id": "k", "aws_secret_access_key": "s"},
            }

        def own(name, policy):
            params = {"guardrail": "guardrail_litellm.GroundingGuardrail", "mode": "post_call", "policy": policy}
            return {"guardrail_name": name, "litellm_params": params}

        config = {
            "model_list": [
                {
                    "model_name": name,
                    "litellm_params": {"model": f"openai/{name}", "api_base": upstream.base_url, "api_key": "x"},
                }
                for name in texts
            ],
            "guardrails": [
                generic("generic-strict", "strict"),
                generic("generic-redact", "redact"),
                bedrock("bedrock-strict", "strict"),
                own("own-strict", "strict"),
                own("own-redact", str(folder / "policy.yaml")),
            ],
        }
        (folder / "config.yaml").write_text(yaml.safe_dump(config))
        port = free_port()
        command = [sys.executable, "-c", "from litellm import run_server; run_server()"]
        command += ["--config", str(folder / "config.yaml"), "--port", str(port), "--host", "127.0.0.1"]
        environment = os.environ | {
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_TELEMETRY": "False",
            "LITELLM_MASTER_KEY": KEY,
        }
        log = (folder / "log.txt").open("w")
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            while True:
                assert process.poll() is None, (folder / "log.txt").read_text()[-3000:]
                try:
                    if httpx.get(f"{address}/health/liveliness").is_success:
                        break
                except httpx.HTTPError:
                    time.sleep(0.2)
            yield address
        finally:
            process.terminate()
            process.wait(30)
            log.close()


def ask(proxy, guardrail, model, messages=ASKED, **more):
    body = {"model": model, "messages": messages, "guardrails": [guardrail], **more}
    return httpx.post(
        f"{proxy}/v1/chat/completions", json=body, headers={"authorization": f"Bearer {KEY}"}, timeout=120
    )


def streamed(proxy, guardrail, model):
    """The text that reached the client, and all the rest of the stream."""
    reply = ask(proxy, guardrail, model, stream=True)
    events = [line.removeprefix("data: ") for line in reply.text.splitlines() if line.startswith("data: ")]
    chunks = [json.loads(event) for event in events if event != "[DONE]"]
    text = "".join(c["delta"].get("content") or "" for chunk in chunks for c in chunk.get("choices", ()))
    return text, reply.text


def content(reply):
    return reply.json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize("guardrail", ["generic-strict", "own-strict"])
def test_passes_and_blocks(proxy, guardrail):
    assert content(ask(proxy, guardrail, "right")) == RIGHT
    refused = ask(proxy, guardrail, "wrong")
    assert "Halloway" not in refused.text
    assert BLOCKED["en"] in refused.text


@pytest.mark.parametrize("guardrail", ["generic-redact", "own-redact"])
def test_redacts(proxy, guardrail):
    reply = content(ask(proxy, guardrail, "wrong"))
    assert reply == RIGHT


@pytest.mark.parametrize(
    ("guardrail", "expected"),
    [("generic-redact", LONG.replace(f"{WRONG} ", "")), ("own-redact", RIGHT)],  # the real engine knows of no road
)
def test_a_stream_without_the_bad_sentence(proxy, guardrail, expected):
    text, whole = streamed(proxy, guardrail, "long")
    assert "Halloway" not in whole
    assert text.split() == expected.split()


@pytest.mark.parametrize("guardrail", ["generic-strict", "own-strict"])
def test_a_stream_that_is_blocked(proxy, guardrail):
    _, whole = streamed(proxy, guardrail, "wrong")
    assert "Halloway" not in whole


def test_bedrock_hook_by_endpoint(proxy):
    assert content(ask(proxy, "bedrock-strict", "right", TAGGED)) == RIGHT
    refused = ask(proxy, "bedrock-strict", "wrong", TAGGED)
    assert refused.status_code == 400
    assert "Halloway" not in refused.text
