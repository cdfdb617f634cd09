"""``guardrail monitor worst, show, stats, label, export, prune``."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from guardrail.cli.main import app, main
from guardrail.telemetry.records import RecordStore
from tests.support.command_line import monitor


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["-n", "1"], "a"),
        (["--since", "24h"], "b"),
        (["--until", "2024-01-01"], "a"),
        (["--label", "retriever=bm25", "--label", "release=v7"], "a"),
        (["--label", "retriever=dense"], ""),
        (["--verdict", "supported"], "c"),
        (["--error-type", "contradiction"], "a"),
        (["--labelled"], ""),
        (["--unlabelled"], "ab"),
        (["--unverified", "--repeated"], "ab"),
    ],
)
def test_worst_can_be_narrowed(filled, options, ids):
    printed = monitor("worst", filled, *options, "--json")
    assert [json.loads(line)["id"][0] for line in printed.splitlines()] == list(ids)
    assert ("no such record" in monitor("worst", filled, *options)) == (ids == "")


def test_stats_are_weighted(filled):
    shown = monitor("stats", filled)
    assert "contradicted" in shown
    assert "33.3%" in shown
    assert "retriever bm25" in shown
    found = json.loads(monitor("stats", filled, "--label", "retriever=bm25", "--json"))
    assert (found["records"], found["verdicts"][0]["share"], found["labelled"]) == (2, 0.5, 0)
    assert "no records" in monitor("stats", filled, "--label", "retriever=dense")


def test_label_then_export_then_eval(filled, tmp_path):
    assert "a" * 32 + "  contradicted" in monitor(
        "label", filled, "aaaaaa", "contradicted", "--finding", "s1", "--note", "1931", "--by", "Ana"
    )
    assert "labelled contradicted by Ana: 1931" in monitor("worst", filled)
    assert json.loads(monitor("label", filled, "bbbbbb", "supported", "--json"))["label"] == "supported"
    monitor("label", filled, "cccccc", "supported")  # nobody objected to it, and a label is wanted all the same
    out = tmp_path / "labelled.jsonl"
    monitor("export", filled, "--out", out, "--labelled")
    assert {json.loads(line)["id"][0] for line in out.read_text().splitlines()} == {"a", "b", "c"}
    done = CliRunner().invoke(app, ["eval", str(out), "--resamples", "0", "--quiet"])
    assert done.exit_code == 0, done.output
    assert "no label" in monitor("label", filled, "bbbbbb", "none", "--note", "unsure")
    assert "  no label: unsure" in monitor("worst", filled)


def test_export_writes_faults_or_all_to_a_file_or_a_pipe(filled, tmp_path):
    out = tmp_path / "out.jsonl"
    assert "2 records written" in monitor("export", filled, "--out", out)
    assert [json.loads(line)["id"][0] for line in out.read_text().splitlines()] == ["a", "b"]
    assert len(monitor("export", filled, "--out", "-", "--all").splitlines()) == 3
    assert len(monitor("export", filled, "--out", "-", "--limit", 1).splitlines()) == 1
    assert len(monitor("export", filled, "--out", "-", "--verdict", "supported").splitlines()) == 1
    pytest.importorskip("pyarrow")
    assert "3 records" in monitor("export", filled, "--out", tmp_path / "o.parquet", "--format", "parquet", "--all")


def test_records_without_texts_are_not_exported(path, outcome):
    with RecordStore(path, redact=lambda text: 1 / 0) as store:
        store.record(outcome())
    assert monitor("export", path, "--out", "-") == ""
    assert "no texts: redact failed" in monitor("worst", path)


def test_prune(filled):
    assert "1 records deleted" in monitor("prune", filled, "--days", 30)
    assert "1 records deleted" in monitor("prune", filled, "--max-records", 1)
    assert RecordStore(filled).get("b" * 32)


def wrong(monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["guardrail", "monitor", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["worst", "{}.gone"], "no such file"),
        (["worst", "{}", "--since", "yesterday"], "--since 'yesterday' is no time"),
        (["worst", "{}", "--since", "99999999999d"], "is no time"),
        (["worst", "{}", "--label", "bm25"], "has no '='"),
        (["worst", "{}", "--label", "retreiver=x"], "Did you mean 'retriever'"),
        (["worst", "{}", "--label", "model=a", "--label", "model=b"], "one label twice"),
        (["show", "{}", "dddddd"], "there is no record 'dddddd'"),
        (["label", "{}", "aaaaaa", "good"], "unknown label 'good'"),
        (["prune", "{}"], "Give --days"),
        (["prune", "{}", "--days", "0"], "days must be positive"),
        (["export", "{}", "--out", "{}"], "is the input itself"),
        (["export", "{}", "--out", "{}-wal"], "is the input itself"),
        (["export", "{}", "--out", "-", "--format", "parquet"], "JSONL only"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(filled, monkeypatch, capsys, arguments, message):
    said = wrong(monkeypatch, capsys, *[argument.format(filled) for argument in arguments])
    assert message in said
    assert said.count("\n") == 1
