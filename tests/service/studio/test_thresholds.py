"""The API of the Set view: figures for each threshold, guarantees in the command's words, and the policy file."""

from __future__ import annotations

import json
import sys
import time

import pytest

from guardrail import Guard, Policy
from guardrail.cli.main import main
from guardrail.errors import UsageError
from guardrail.evaluation.intervals import wilson
from guardrail.service.studio.studio import Studio
from tests.support.label_files import label_bridges, write_bridges, write_labels
from tests.support.studio_api import opened


@pytest.fixture(scope="module")  # the answers are judged once
def client(source):
    yield from opened(Studio(source, policy_out=source.with_name("policy.yaml")))


def table(client, **query):
    deadline = time.monotonic() + 300
    while (found := client.get("/api/set/table", params=query).json()).get("job"):
        assert found["job"]["state"] in ("running", "done"), found
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["guardrail", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, *capsys.readouterr()


def test_the_table_counts_labels_at_each_threshold(client):
    found = table(client)
    assert found["counts"] | {"unverified": 0} == found["counts"]
    assert (found["counts"]["right"], found["counts"]["wrong"]) == (40, 20)
    whole = found["slices"][0]
    assert whole["kind"] == "all"
    for name, n in (("found", 20), ("alarms", 40), ("held", 60)):
        column = whole[name]
        assert (column["n"], column["cases"]) == (n, n)
        assert column["held"] == sorted(column["held"])
        for held, low, high in zip(column["held"], column["low"], column["high"], strict=True):
            assert (low, high) == pytest.approx(wilson(held, n), abs=1e-4)
    assert [sum(pair) for pair in zip(whole["found"]["held"], whole["alarms"]["held"], strict=True)] == whole["held"][
        "held"
    ]
    half = found["thresholds"].index(0.5)
    assert whole["found"]["held"][half] > 10
    assert whole["alarms"]["held"][half] < 10
    types = {one["name"]: one["found"]["n"] for one in found["slices"] if one["kind"] == "type"}
    assert sum(types.values()) == 20
    assert set(types) == {"contradiction", "no type"}


def test_the_guarantee_is_that_of_the_command(client, source, out, monkeypatch, capsys):
    table(client)
    asked = {"target": 0.2, "risk": "missed", "policy": "repair"}
    found = client.post("/api/set/guarantee", json=asked).json()
    assert found["refused"] is None
    labels = source.with_suffix(".labels.jsonl")
    arguments = ("calibrate", labels, "--target-error", 0.2, "--policy", "repair", "--out", out)
    code, text, _ = run(monkeypatch, capsys, *arguments, "--json")
    said = json.loads(text)
    assert code == 0
    assert (found["threshold"], found["guarantee"]) == (said["threshold"], said["guarantee"])
    made = client.post("/api/set/draft", json=asked).json()
    assert made["diff"] == []  # the command wrote just this


def test_too_few_labels_are_refused_in_the_words_of_the_command(client, source, monkeypatch, capsys, out):
    table(client)
    found = client.post("/api/set/guarantee", json={"target": 0.01, "policy": "repair"}).json()
    code, _, error = run(monkeypatch, capsys, "calibrate", source.with_suffix(".labels.jsonl"),
                         "--target-error", 0.01, "--policy", "repair", "--out", out)  # fmt: skip
    assert code == 2
    assert "at least 99 are needed" in found["refused"]
    assert " ".join(found["refused"].split()) in " ".join(error.split())


def test_evaluation_reads_the_label_file(source, monkeypatch, capsys):
    code, text, error = run(monkeypatch, capsys, "eval", source.with_suffix(".labels.jsonl"), "--json", "-")
    assert code == 0, error
    (level,) = json.loads(text)["sets"][0]["levels"]
    assert (level["level"], level["n"], level["supported"]) == ("answers", 60, 40)


def test_no_file_is_written_that_was_not_named_at_the_start(source):
    for client in opened(Studio(source)):
        for path in ("draft", "write"):
            reply = client.post(f"/api/set/{path}", json={"threshold": 0.3, "over": "", "name": "/tmp/x", "file": "x"})
            assert reply.status_code == 403
            assert "--policy-out" in reply.json()["error"]["message"]
    with pytest.raises(UsageError, match="the input itself"):
        Studio(source, policy_out=source)
    with pytest.raises(UsageError, match="the input itself"):
        Studio(source, policy_out=source.with_suffix(".labels.jsonl"))


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": "0.5"}, "threshold"),
        ({"threshold": True}, "threshold"),
        ({"target": "x"}, "target"),
        ({"target": 0.1, "risk": "all"}, "risk"),
        ({"target": 0.1, "case": "none"}, "case"),
        ({"target": 0.1, "drawn": "worst"}, "drawn"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_field(client, sent, field):
    table(client)
    reply = client.post("/api/set/draft", json=sent)
    assert (reply.status_code, reply.json()["error"]["field"]) == (422, field), reply.text


@pytest.mark.parametrize("name", ["../../etc/passwd", "policy.yaml", "nobody"])
def test_policies_and_engines_are_only_those_named_at_the_start(client, name):
    assert client.get("/api/set/table", params={"policy": name}).status_code == 422
    assert client.get("/api/set/table", params={"engine": name}).status_code == 422


def test_picked_labels_are_counted_apart_and_warned_of(tmp_path):
    source = write_bridges(tmp_path / "answers.jsonl", 12)
    label_bridges(source, drawn="worst")
    for client in opened(Studio(source)):
        assert client.get("/api/set").json() | {"labelled": 12, "random": 0} == client.get("/api/set").json()
        assert client.get("/api/set/table", params={"drawn": "random"}).status_code == 404
        table(client, drawn="all")
        found = client.post("/api/set/guarantee", json={"target": 0.4, "drawn": "all"}).json()
        assert "12 of these 12 answers were picked" in found["warning"]


def test_without_labels(tmp_path):
    path = write_labels(tmp_path / "x.labels.jsonl", [])
    for client in opened(Studio(labels=path)):
        assert client.get("/api/set").json()["labelled"] == 0
        assert client.get("/api/set/table").json()["error"]["field"] == "labels"
    for client in opened(Studio()):
        assert client.get("/api/set").json()["error"]["field"] == "source"


def test_what_was_written_is_what_the_guard_uses(client, out):
    """From labels to a guard: an answer scored between two thresholds is flagged under the stricter one alone."""
    table(client)
    answer, passage = "Brill Bridge was opened in 1954.", "Brill Bridge was opened to traffic in 1954."
    score = Guard().check(answer, [passage]).score
    for threshold, verdict in ((score - 0.05, "supported"), (score + 0.01, "unsupported")):
        asked = {"threshold": round(threshold, 4), "policy": "monitor"}
        over = client.post("/api/set/draft", json=asked).json()["over"]
        assert client.post("/api/set/write", json={**asked, "over": over}).status_code == 200
        assert Guard(policy=Policy.load(out)).check(answer, [passage]).verdict == verdict
