"""Records as files, and back through ``guardrail check`` and ``guardrail eval``."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from guardrail import MissingExtraError, Passage, UsageError
from guardrail.cli.main import app
from guardrail.evaluation import read_labelled
from guardrail.telemetry.records import RecordStore, export

ODD = "桥 👩‍👩‍👧 \x00 \ud800 \u2028"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def three(store, outcome):
    """A clean record, one with odd texts, and one that a person labelled."""
    store.record(outcome("supported", 0.9, ident="clean", answer="The bridge opened in 1931.", at=1.0))
    odd = (Passage(id=ODD, text=ODD), Passage(id="2", title=ODD, text=""))
    store.record(outcome("unsupported", 0.2, ident="odd", answer=f"Open. {ODD}", passages=odd, question=None, at=2.0))
    store.record(outcome("contradicted", 0.1, ident="wrong", labels={"retriever": "bm25"}, trace_id="ab" * 16, at=3.0))
    store.flush()
    store.label("wrong", "contradicted", "s1", error_type="contradiction", note="1931", by="Ana")
    return store


def test_jsonl_is_what_check_and_eval_read(three, tmp_path):
    out = tmp_path / "out.jsonl"
    assert three.export(out) == 3
    clean, odd, wrong = lines(out)
    assert [clean["id"], odd["id"], wrong["id"]] == ["clean", "odd", "wrong"]
    assert (odd["answer"], odd["passages"][0]["text"], odd["passages"][1]["title"]) == (f"Open. {ODD}", ODD, ODD)
    assert not {"label", "error_type", "error_spans"} & (set(clean) | set(odd))
    assert (wrong["label"], wrong["error_type"], wrong["error_spans"]) == ("contradicted", "contradiction", [[0, 26]])
    assert (wrong["finding_labels"], wrong["note"], wrong["labelled_by"]) == ({"s1": "contradicted"}, "1931", "Ana")
    assert (wrong["labels"], wrong["weight"], wrong["trace_id"]) == ({"retriever": "bm25"}, 1.0, "ab" * 16)

    reports = tmp_path / "reports.jsonl"
    done = CliRunner().invoke(app, ["check", str(out), "--out", str(reports)])
    assert (done.exit_code, done.output) == (1, "")  # the policy flags two
    assert [line["id"] for line in lines(reports)] == ["clean", "odd", "wrong"]
    assert lines(reports)[0]["verdict"] == "supported"

    labelled = tmp_path / "labelled.jsonl"
    assert three.export(labelled, labelled=True) == 1
    [read] = read_labelled(labelled)
    assert (read.id, read.label, read.error_type, read.error_spans) == (
        "wrong",
        "contradicted",
        "contradiction",
        ((0, 26),),
    )
    done = CliRunner().invoke(app, ["eval", str(labelled), "--resamples", "0", "--json", "-"])
    assert (done.exit_code, json.loads(done.output)["sets"][0]["levels"][0]["n"]) == (0, 1)


def test_what_is_exported_can_be_chosen(three, tmp_path):
    out = tmp_path / "out.jsonl"
    for chosen, ids in (
        ({"faulty": True, "worst_first": True}, ["wrong", "odd"]),
        ({"worst_first": True, "limit": 1}, ["wrong"]),
        ({"labels": {"retriever": "bm25"}}, ["wrong"]),
        ({"until": 2.5}, ["clean", "odd"]),
        ({"verdict": "supported"}, ["clean"]),
        ({"labelled": False}, ["clean", "odd"]),
        ({"since": 9.0}, []),
    ):
        assert three.export(out, **chosen) == len(ids)
        assert [line["id"] for line in lines(out)] == ids


def test_parquet_holds_the_same_in_row_groups(three, tmp_path, monkeypatch):
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(export, "_AT_ONCE", 2)
    out = tmp_path / "out.parquet"
    assert three.export(out, format="parquet") == 3
    assert pq.ParquetFile(out).num_row_groups == 2
    clean, odd, wrong = pq.read_table(out).to_pylist()
    said = export.as_json(three.get("wrong"))
    assert {key for key in wrong if wrong[key] != said[key]} == {"at", "labelled_at", "labels", "finding_labels"}
    assert (wrong["at"], wrong["labels"]) == (datetime.fromtimestamp(3, UTC), [("retriever", "bm25")])
    assert wrong["finding_labels"] == [("s1", "contradicted")]
    assert (clean["label"], clean["labelled_at"]) == (None, None)
    assert odd["answer"] == "Open. 桥 👩‍👩‍👧 \x00 \\ud800 \u2028"
    assert set(said) - {"seen", "left_out"} == set(wrong)


def test_parquet_without_pyarrow_names_the_extra(three, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'pip install "rag-guardrail\[parquet\]"'):
        three.export(tmp_path / "out.parquet", format="parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_an_export_into_a_pipe(three):
    reader, writer = os.pipe()
    assert three.export(f"/dev/fd/{writer}", limit=1) == 1
    os.close(writer)
    with os.fdopen(reader) as read:
        assert json.loads(read.read())["id"] == "clean"


def test_an_export_is_whole_or_not_there(three, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    out.write_text("old")
    before = sorted(path.name for path in tmp_path.iterdir())
    made, done = export.as_json, []

    def breaks(record):
        done.append(record)
        if len(done) == 2:
            raise KeyboardInterrupt
        return made(record)

    monkeypatch.setattr(export, "as_json", breaks)
    with pytest.raises(KeyboardInterrupt):
        three.export(out)
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("target", "kind", "message"),
    [
        ("out.csv", "csv", "unknown format 'csv'"),
        ("gone/out.jsonl", "jsonl", "cannot write .*No such file"),
        ("guardrail.db", "jsonl", "is the store itself"),
        ("guardrail.db-wal", "jsonl", "is the store itself"),
    ],
)
def test_what_cannot_be_written_is_refused(three, tmp_path, target, kind, message):
    with pytest.raises(UsageError, match=message):
        three.export(tmp_path / target, format=kind)


def test_an_export_holds_few_records_at_a_time(path, outcome, monkeypatch):
    held = most = 0
    made = export.as_json

    def counting(record):
        nonlocal held, most
        held += 1
        most = max(most, held)
        done = made(record)
        held -= 1
        return done

    monkeypatch.setattr(export, "as_json", counting)
    with RecordStore(path, sample=1.0, days=None) as store:
        for n in range(450):
            store.record(outcome(answer=str(n), at=float(n)))
        store.flush()
        records = store.records()
        first = next(records)
        store.prune(days=1)  # what is pruned meanwhile is left out
        rest = [record.answer for record in records]
        assert first.answer == "0"
        assert rest == [str(n) for n in range(1, 200)]  # those already read
        assert store.export(path.with_name("out.jsonl")) == 0
    assert most <= 1
