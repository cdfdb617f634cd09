"""The recorded answers of a studio, and replies about them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.recorded.opened import about, chosen_of, reply, source_of
from guardrail.service.studio.studio import Studio
from tests.support.recorded_answers import write_answers, write_store
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


def test_all_views_of_a_studio_share_one_source(tmp_path: Path) -> None:
    write_store(tmp_path / "guardrail.db", 3, now=NOW)
    write_answers(tmp_path / "answers.jsonl", 3)
    store, file = Studio(tmp_path / "guardrail.db"), Studio(tmp_path / "answers.jsonl")
    assert source_of(store) is source_of(store)
    assert source_of(store) is not source_of(Studio(tmp_path / "guardrail.db"))
    assert about(source_of(store)) == {"name": "guardrail.db", "kind": "store", "wrong": 0, "skipped": []}
    assert about(source_of(file))["kind"] == "file"


def test_rows_that_could_not_be_read_are_told_with_the_source(tmp_path: Path) -> None:
    write_answers(tmp_path / "answers.jsonl", 2)
    with (tmp_path / "answers.jsonl").open("a") as out:
        out.write("{broken\n")
    source = source_of(Studio(tmp_path / "answers.jsonl"))
    with source.open():
        pass  # the first one reads the file
    said = about(source)
    assert said["wrong"] == 1
    assert "row 3" in said["skipped"][0]


def test_a_filter_that_is_not_understood_is_an_error_of_the_api_with_its_field() -> None:
    with pytest.raises(StudioError, match="labelled must be yes or no") as refused:
        chosen_of({"labelled": "perhaps"}, NOW)
    assert (refused.value.status, refused.value.field) == (422, "labelled")
    assert chosen_of({"verdict": "supported"}, NOW).selection.verdict == "supported"


def test_numbers_that_are_none_are_null_wherever_they_stand() -> None:
    said = {"a": [1.5, float("nan"), (float("inf"), "x")], "b": {"c": -float("inf")}, "d": None}
    assert json.loads(bytes(reply(said).body)) == {"a": [1.5, None, [None, "x"]], "b": {"c": None}, "d": None}
