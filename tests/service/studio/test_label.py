"""The API of the Label view: what is said is kept, in the label file and in the record store."""

from __future__ import annotations

import json
import time

import httpx
import pytest

from guardrail.evaluation import read_labelled
from guardrail.service.studio.studio import Studio
from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import write_answers, write_store
from tests.support.studios import running


class Desk:
    """A client of the Label view."""

    def __init__(self, site, by="Ana"):
        self.by = by
        self._client = httpx.Client(base_url=f"{site.origin}/api/label", headers=site.headers, timeout=300)

    def get(self, path, **query):
        return self._client.get(path, params={"by": self.by, **query})

    def say(self, item, segment, label, **more):
        sent = {"item": item, "segment": segment, "label": label, "by": self.by, "order": "random", **more}
        return self._client.post("/say", json=sent)

    def undo(self):
        return self._client.post("/undo", json={"by": self.by})

    def close(self):
        self._client.close()


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    write_answers(path, 12)
    return path


@pytest.fixture
def open_desk():
    """Opens desks, which are closed in the end."""
    opened, sites = [], []

    def open_(source, by="Ana", **options):
        site = running(Studio(source, **options))
        sites.append(site)
        found = site.__enter__()
        opened.append(Desk(found, by))
        return opened[-1], found

    yield open_
    for desk in opened:
        desk.close()
    for site in sites:
        site.__exit__(None, None, None)


def ids(desk, **query):
    reply = desk.get("/queue", **query)
    assert reply.status_code == 200, reply.text
    return [item["id"] for item in reply.json()["items"]]


def test_from_the_queue_to_the_file(answers, open_desk):
    desk, _ = open_desk(answers)
    first, second, *_ = ids(desk)
    sheet = desk.get("/item", id=first).json()
    assert [segment["id"] for segment in sheet["segments"]] == ["s1", "s2"]
    start, end = sheet["segments"][0]["span"]
    assert sheet["answer"][start:end].endswith(".")
    assert sheet["hints"]["s1"]["verdict"]
    evidence = [{"passage": 0, "span": sheet["passages"][0]["sentences"][0]}]
    for segment in ("s1", "s2"):
        reply = desk.say(first, segment, "supported", evidence=evidence)
    assert reply.json()["state"] == "done"
    reply = desk.say(second, "s2", "contradicted", error_type="contradiction", error_spans=[[30, 34]])
    assert reply.json()["said"]["s2"]["error_spans"] == [[30, 34]]
    states = {item["id"]: item["state"] for item in desk.get("/queue").json()["items"]}
    assert (states[first], states[second]) == ("done", "begun")
    right, wrong = read_labelled(answers.with_suffix(".labels.jsonl"))
    assert (right.label, wrong.label) == ("supported", "contradicted")
    assert right.evidence
    assert wrong.error_type == "contradiction"
    assert desk.get("/item", id=first, by="Bo").json()["said"] == {}


def test_undo_goes_back_one_label_at_a_time(answers, open_desk):
    desk, _ = open_desk(answers)
    first, second, *_ = ids(desk)
    desk.say(first, "s1", "supported")
    desk.say(second, "", "skipped")
    undone = desk.undo().json()
    assert (undone["item"], undone["segment"], undone["state"]) == (second, "", "new")
    assert (desk.undo().json()["item"], desk.undo().status_code) == (first, 409)


def test_labels_reach_the_record_store(tmp_path, open_desk):
    path = tmp_path / "guardrail.db"
    write_store(path, 40, now=time.time())
    desk, _ = open_desk(path)
    first, second, *_ = ids(desk, order="worst")
    assert desk.say(first, "s2", "contradicted", error_type="contradiction").json()["warning"] is None
    desk.say(first, "s1", "unsure")
    desk.say(second, "s1", "supported")
    store = RecordStore(path)
    record = store.get(first)
    assert (record.human_label, record.error_type, record.labelled_by) == ("contradicted", "contradiction", "Ana")
    assert set(record.finding_labels) == {"s2"}
    desk.undo()
    assert store.get(second).finding_labels == {}


def test_a_store_that_cannot_be_written_is_said_and_the_label_kept(tmp_path, open_desk):
    path = tmp_path / "guardrail.db"
    write_store(path, 10, now=time.time())
    desk, _ = open_desk(path)
    first, *_ = ids(desk)
    desk.say(first, "s1", "supported")
    path.unlink()
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    warning = desk.say(first, "s2", "contradicted").json()["warning"]
    assert "not in the record store" in warning
    assert [one.label for one in read_labelled(tmp_path / "guardrail.labels.jsonl")] == ["contradicted"]


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        ({"item": "nobody"}, 404, "gone"),
        ({"label": "right"}, 422, "'label' is 'right'"),
        ({"segment": "s77"}, 422, "s77"),
        ({"by": "  "}, 422, "who labels"),
        ({"by": "x" * 99}, 422, "60 characters"),
        ({"by": None}, 422, "who labels"),
        ({"error_spans": [[0, 10**9]]}, 422, "no stretch"),
        ({"evidence": [{"passage": -1, "span": [0, 1]}]}, 422, "number of a passage"),
        ({"evidence": "all"}, 422, "evidence"),
    ],
)
def test_what_is_not_understood_is_refused_and_nothing_kept(answers, open_desk, sent, status, said):
    desk, _ = open_desk(answers)
    first, *_ = ids(desk)
    reply = desk.say(**{"item": first, "segment": "s1", "label": "contradicted", **sent})
    assert (reply.status_code, said in reply.json()["error"]["message"]) == (status, True), reply.text
    assert not answers.with_suffix(".labels.jsonl").exists()


@pytest.mark.parametrize("query", [{"order": "best"}, {"seed": "-1"}, {"limit": "0"}, {"limit": "9999"}])
def test_a_queue_that_there_is_not(answers, open_desk, query):
    desk, _ = open_desk(answers)
    reply = desk.get("/queue", **query)
    assert reply.status_code == 422
    assert reply.json()["error"]["field"] == next(iter(query))


def test_what_cannot_be_labelled_is_not_in_the_queue(tmp_path, open_desk):
    path = tmp_path / "mixed.jsonl"
    write_answers(path, 3)
    with path.open("a") as out:
        out.write(json.dumps({"id": "bare", "question": "?", "answer": "It is so.", "passages": []}) + "\n")
    desk, _ = open_desk(path)
    assert sorted(ids(desk)) == ["a0", "a1", "a2"]
    assert "no passages" in desk.get("/item", id="bare").json()["error"]["message"]


def test_a_file_that_nobody_checked_is_checked_for_the_worst(answers, open_desk):
    desk, _ = open_desk(answers)
    deadline = time.monotonic() + 300
    job = desk.get("/queue", order="worst").json()["job"]
    assert job["total"] in (None, 12)
    while job is not None and job["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.05)
        job = desk.get("/queue", order="worst").json()["job"]
    scores = [
        min(hint["score"] for hint in desk.get("/item", id=item["id"]).json()["hints"].values())
        for item in desk.get("/queue", order="worst").json()["items"]
    ]
    assert len(scores) == 12
    assert scores[0] < 0.5 < scores[-1]


def test_two_people_and_what_they_differ_on(answers, open_desk):
    ana, site = open_desk(answers)
    bo = Desk(site, "Bo")
    first, second, *_ = ids(ana)
    for desk, words in (
        (ana, ("supported", "supported", "supported")),
        (bo, ("supported", "contradicted", "supported")),
    ):
        for (item, segment), word in zip(((first, "s1"), (first, "s2"), (second, "s1")), words, strict=True):
            assert desk.say(item, segment, word).status_code == 200
    found = ana.get("/people").json()
    assert [(one["name"], one["answers"], one["sentences"]) for one in found["people"]] == [("Ana", 1, 3), ("Bo", 1, 3)]
    (pair,) = found["agreement"]
    assert (pair["people"], pair["n"], pair["answers"], pair["apart"]) == (["Ana", "Bo"], 3, 2, [[first, "s2"]])
    assert pair["kappa"]["value"] == pytest.approx(0.0)
    assert found["differ"] == 1
    assert ids(ana, order="people") == [first]
    assert ana.get("/item", id=first, order="people").json()["others"]["Bo"]["s2"]["label"] == "contradicted"
    assert ana.get("/item", id=first).json()["others"] == {}
    bo.close()


def test_without_anything_to_label(open_desk):
    desk, _ = open_desk(None)
    for reply in (desk.get("/queue"), desk.get("/people"), desk.say("a", "s1", "supported")):
        assert reply.status_code == 404
        assert "guardrail studio answers.jsonl" in reply.json()["error"]["message"]
