"""The policy file that the Set view writes."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from guardrail import Policy
from guardrail.service.studio.app import create_app
from guardrail.service.studio.studio import Studio
from tests.support.label_files import label_bridges, write_bridges


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = write_bridges(tmp_path_factory.mktemp("set") / "answers.jsonl", 60)
    label_bridges(path)
    return path


@pytest.fixture
def out(source):
    """The file that may be written; it is not there yet."""
    path = source.with_name("policy.yaml")
    path.unlink(missing_ok=True)
    return path


@pytest.fixture(scope="module")  # the answers are judged once
def client(source):
    yield from opened(Studio(source, policy_out=source.with_name("policy.yaml")))


def opened(studio):
    app = create_app(studio)
    with TestClient(app, base_url="http://127.0.0.1", headers={"x-studio-token": app.state.token}) as found:
        yield found


def test_a_file_is_shown_before_it_is_written_and_never_over_something_else(client, out):
    asked = {"threshold": 0.37, "policy": "strict"}
    made = client.post("/api/set/draft", json=asked).json()
    assert (made["name"], made["over"], out.exists()) == ("policy.yaml", "", False)
    assert "+threshold: 0.37" in made["diff"]
    assert client.post("/api/set/write", json=asked).status_code == 422  # nobody looked
    assert client.post("/api/set/write", json={**asked, "over": ""}).json()["threshold"] == 0.37
    assert Policy.load(out) == Policy.strict().with_(name="policy", threshold=0.37)
    reply = client.post("/api/set/write", json={"threshold": 0.5, "policy": "strict", "over": ""})
    assert (reply.status_code, "was changed since" in reply.json()["error"]["message"]) == (422, True)
    out.write_text("# ours\npreset: monitor\n")
    made = client.post("/api/set/draft", json=asked).json()
    assert made["comments"] == 1
    assert {"-# ours", "-preset: monitor", "+preset: strict"} <= set(made["diff"])
    assert client.post("/api/set/write", json={**asked, "over": made["over"]}).status_code == 200


def test_a_file_of_several_policies_is_left_alone(client, out):
    out.write_text("policies:\n  a: {preset: monitor}\n  b: {preset: strict}\n")
    reply = client.post("/api/set/draft", json={"threshold": 0.3})
    assert "holds several policies" in reply.json()["error"]["message"]
