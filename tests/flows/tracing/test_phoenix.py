"""Guarded answers in a real Arize Phoenix: ``make phoenix-test``."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

PHOENIX = os.environ.get("GUARDRAIL_PHOENIX", "")
ROOT = Path(__file__).parents[3]
UP = 240  # seconds: at the first start it makes its database

pytestmark = [
    pytest.mark.skipif(not PHOENIX, reason="GUARDRAIL_PHOENIX names no phoenix executable: see `make phoenix-test`"),
    pytest.mark.slow,
]


def instrumented():
    """Whether the chain has spans of its own."""
    try:
        return importlib.util.find_spec("openinference.instrumentation.langchain") is not None
    except ModuleNotFoundError:
        return False


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url):
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=10) as reply:
        return reply.read()


def eventually(find, seconds=60):
    """What ``find`` returns once it is something: Phoenix takes in spans and annotations when it has time."""
    end = time.monotonic() + seconds
    while not (found := find()) and time.monotonic() < end:
        time.sleep(0.5)
    return found


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory):
    """A server with a database of its own, and the example's three answers in it."""
    folder, port = tmp_path_factory.mktemp("phoenix"), free_port()
    settings = {
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    url = f"http://127.0.0.1:{port}"
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([PHOENIX, "serve"], env=os.environ | settings, stdout=log, stderr=log)
        try:
            assert eventually(lambda: server.poll() is not None or _up(url), UP), (folder / "log").read_text()
            assert server.poll() is None, (folder / "log").read_text()
            example = [sys.executable, ROOT / "examples/monitoring/phoenix.py", "--phoenix", url, "--project", "test"]
            done = subprocess.run(example, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, done.stderr
            yield url
        finally:
            server.terminate()
            server.wait(30)


def _up(url):
    try:
        return get(f"{url}/healthz") is not None
    except OSError:
        return False


@pytest.fixture(scope="module")
def spans(phoenix):
    """All of them, by id."""

    def read():
        found = json.loads(get(f"{phoenix}/v1/projects/test/spans?limit=1000"))["data"]
        return found if sum(span["name"] == "guardrail.check" for span in found) == 3 else None

    return {span["context"]["span_id"]: span for span in eventually(read)}


def under(spans, span):
    return spans[span["parent_id"]]["name"] if span["parent_id"] else None


def test_spans_arrive_in_one_tree_with_their_kinds(spans):
    """Phoenix knows guard, evaluator and model apart, and hangs the guard under the chain."""
    kinds = {span["name"]: span["span_kind"] for span in spans.values()}
    assert kinds["guardrail.check"] == "GUARDRAIL"
    assert kinds["guardrail.verify"] == "EVALUATOR"
    assert kinds["chat judge"] == "LLM"
    assert len({span["context"]["trace_id"] for span in spans.values()}) == 3
    calls = [span for span in spans.values() if span["name"] == "chat judge"]
    assert {under(spans, call) for call in calls} == {"guardrail.decompose", "guardrail.verify"}
    if instrumented():
        checks = [span for span in spans.values() if span["name"] == "guardrail.check"]
        assert {under(spans, check) for check in checks} == {"GuardedChain"}


def test_attributes_tell_verdict_action_and_evaluations(spans):
    """Of the answer as it was written, and of what was done with it."""
    told = {span["attributes"]["guardrail.policy"]: span["attributes"] for span in spans.values()
            if span["name"] == "guardrail.check"}  # fmt: skip
    assert {policy: (each["guardrail.verdict"], each["guardrail.action"]) for policy, each in told.items()} == {
        "monitor": ("supported", "allow"),
        "regenerate": ("contradicted", "regenerate"),
        "repair": ("unsupported", "redact"),
    }
    repaired = told["repair"]
    assert repaired["evaluations.0.evaluation.name"] == "faithfulness"
    assert repaired["evaluations.0.evaluation.annotator_kind"] == "LLM"
    assert repaired["output.value"] == "Larkmoor Dam was built between 1961 and 1965."
    assert repaired["guardrail.label.application"] == "support"


def test_evaluations_are_annotations_of_the_spans_that_wrote_the_answers(phoenix, spans):
    """The example turns the guard's events into them; nothing else knows which span that is."""
    query = urllib.parse.urlencode([("span_ids", span_id) for span_id in spans] + [("limit", "100")])

    def read():
        found = json.loads(get(f"{phoenix}/v1/projects/test/span_annotations?{query}"))["data"]
        return found if len(found) >= 4 else None

    found = eventually(read)
    faithful = {each["identifier"]: each for each in found if each["name"] == "faithfulness"}
    assert {name: each["result"]["label"] for name, each in faithful.items()} == {
        "guardrail:monitor": "supported",
        "guardrail:regenerate": "contradicted",
        "guardrail:repair": "unsupported",
    }
    assert [each["result"]["label"] for each in found if each["name"] == "logic_consistency"] == ["inconsistent"]
    assert faithful["guardrail:repair"]["annotator_kind"] == "LLM"
    if instrumented():
        written = spans[faithful["guardrail:regenerate"]["span_id"]]
        assert (written["name"], written["span_kind"]) == ("FakeListChatModel", "LLM")
        assert "12 euros" in written["attributes"]["output.value"]
