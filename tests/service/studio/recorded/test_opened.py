"""The recorded answers of a studio, and replies about them."""

from __future__ import annotations

import json
import time

from tests.support.studio_api import asked, client_of

NOW = time.time()


def test_without_a_source_each_view_says_how_to_give_one():
    client = client_of(None)
    for path in ("records", "records/choices", "record", "changes", "watch"):
        reply = client.get(f"/api/{path}", params={"id": "x"})
        assert (reply.status_code, reply.json()["error"]["field"]) == (404, "source")
        assert "guardrail studio guardrail.db" in reply.json()["error"]["message"]


def test_numbers_that_are_none_do_not_break_the_reply(tmp_path):
    row = {"id": "a", "answer": "x", "passages": ["x"], "verdict": "supported", "score": float("nan"),
           "findings": [], "scores": {"factscore": float("inf")}}  # fmt: skip
    (tmp_path / "r.jsonl").write_text(json.dumps(row))
    assert asked(client_of(tmp_path / "r.jsonl"), "record", id="a")["scores"] == {"factscore": None}
