"""OpenAI batch files and LiteLLM's spend logs."""

import json

import pytest

from tests.support.audited import read_source, told, write_lines

pytest.importorskip("pyarrow")


BODY = {"model": "m1", "messages": [
    {"role": "system", "content": [{"type": "grounding_source", "text": "Closed in 2021.", "id": "d1", "title": "Dams"}]},
    {"role": "user", "content": "When?"},
]}  # fmt: skip


REPLY = {"created": 1_700_000_000, "choices": [{"message": {"role": "assistant", "content": "In 2021."}}]}


def test_an_openai_batch_is_joined_by_its_ids(tmp_path):
    rows = [
        {"custom_id": "r1", "method": "POST", "body": BODY},
        {"custom_id": "r2", "method": "POST", "body": BODY},
        {"custom_id": "r1", "response": {"status_code": 200, "body": REPLY}},
        {"custom_id": "r3", "response": {"status_code": 200, "body": REPLY}},
        {"custom_id": "r2", "response": None, "error": {"message": "x"}},
    ]
    found = read_source(write_lines(tmp_path / "batch.jsonl", rows))
    assert told(found[0]) == ("r1", "When?", "In 2021.", ["Closed in 2021."], ("Dams",), {"model": "m1"})
    assert found[0].at == 1_700_000_000
    assert [(one.id, one.reason.split(";")[0]) for one in found[1:]] == [
        ("r3", "its request is not in the file"),
        ("r2", "has no text of an answer (choices[0].message.content)"),
    ]


def test_spend_logs_of_litellm(tmp_path):
    row = {
        "request_id": "q1",
        "call_type": "acompletion",
        "model": "m1",
        "startTime": "2026-11-03 10:00:00",
        "metadata": {"user_api_key_alias": "shop"},
    }
    rows = [row | {"messages": json.dumps(BODY["messages"]), "response": json.dumps(REPLY)},
            row | {"request_id": "q2", "messages": "{}", "response": "{}"}]  # fmt: skip
    answer, lost = read_source(write_lines(tmp_path / "spend.jsonl", rows))
    assert told(answer)[:4] == ("q1", "When?", "In 2021.", ["Closed in 2021."])
    assert answer.labels == {"model": "m1", "application": "shop"}
    assert (answer.day, lost.id) == ("2026-11-03", "q2")
