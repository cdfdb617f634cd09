"""The recipe that sends a verdict to LangSmith, against a local server that keeps what it is sent."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.support.pages import ROOT, blocks

PROJECT = "5f0c9a52-7a25-4f4b-9f0f-0d9a4f0f7b11"


class Kept(BaseHTTPRequestHandler):
    """Answers as LangSmith does."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.kept.append((self.path, json.loads(body)))
        self._say({})

    def do_GET(self):
        if "/sessions" in self.path:
            about = {"name": "default", "start_time": "2026-11-22T00:00:00Z", "reference_dataset_id": None}
            return self._say([{**about, "id": PROJECT, "tenant_id": PROJECT}])
        return self._say({"version": "0.1", "batch_ingest_config": {}})

    def log_message(self, *_):
        pass

    def _say(self, value):
        said = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)


def test_the_verdict_reaches_the_run_that_it_is_about(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Kept)
    server.kept = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("LANGSMITH_API_KEY", "none")
    names = {}
    page = ROOT / "docs" / "recipes.md"
    wanted = ("rag = ", "chain = guard_chain", "from langsmith")
    for block in blocks(page):
        if block.language == "python" and any(each in block.text for each in wanted):
            code = block.text.split("\nasync for ")[0]
            exec(compile(f"from guardrail import Guard, Policy\n{code}", str(block), "exec"), names)
    server.shutdown()
    thread.join()
    server.server_close()
    sent = [body for path, body in server.kept if "feedback" in path]
    assert [(each["run_id"], each["session_id"], each["key"], each["value"]) for each in sent] == [
        (str(names["run_id"]), PROJECT, "groundedness", "unsupported")
    ]
    assert sent[0]["score"] == pytest.approx(names["report"].score, abs=1e-4)
    assert "gold" not in str(server.kept)  # numbers and verdicts only: no text of the answer
