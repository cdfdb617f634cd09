"""``guardrail monitor worst, show, stats, label, export, prune``."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from guardrail import ErrorType, Finding, Passage, Span, Verdict
from guardrail.cli.main import app, main
from guardrail.telemetry.records import RecordStore

EVIL = "\x1b[2J\x1b]0;owned\x07\r\x9b31m\u202e\ud800[red]x[/red]"


def run(*arguments, code=0):
    done = CliRunner().invoke(app, ["monitor", *map(str, arguments)], env={"COLUMNS": "160"})
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def filled(path, outcome):
    """Three records: a contradicted one with evidence, an unsupported one without, a supported one."""
    with RecordStore(path, sample=1.0, days=None) as store:
        store.record(
            outcome(
                ident="a" * 32, error_type=ErrorType.CONTRADICTION, reason="The passage says 1931.", at=1_700_000_000,
                labels={"retriever": "bm25", "release": "v7"}, trace_id="ab" * 16, text="Redacted.", action="redact",
            )
        )  # fmt: skip
        claim = "It is painted in red by Ann."
        finding = Finding(id="s1", text=claim, span=Span(0, 28), claim=claim, verdict=Verdict.UNSUPPORTED, score=0.2)
        texts = ("It opened in 1931. It is painted green.", "Other things.")
        passages = [Passage(id=f"p{n}", text=text) for n, text in enumerate(texts)]
        store.record(outcome("unsupported", 0.2, ident="b" * 32, answer=claim, findings=[finding], passages=passages))
        store.record(outcome("supported", 0.9, ident="c" * 32, labels={"retriever": "bm25"}))
    return path


def test_worst_shows_sentence_evidence_reason_and_where_it_comes_from(filled):
    shown = run("worst", filled)
    for words in (
        "1.  ✗ contradicted  score 0.10  action redact",
        "a" * 32 + "  2023-11-14 22:13:20 UTC  policy monitor",
        "trace " + "ab" * 16,
        "retriever bm25  release v7",
        "Q When did the bridge open?",
        "The bridge opened in 1971.",
        "contradicted, contradiction: The passage says 1931.",
        "passage [p1 The bridge] 0–26: “The bridge opened in 1931.”",
        "2.  ✗ unsupported",
        "nearest: passage [p0]: “It is painted green.”",
    ):
        assert words in shown
    assert "c" * 32 not in shown


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
    printed = run("worst", filled, *options, "--json")
    assert [json.loads(line)["id"][0] for line in printed.splitlines()] == list(ids)
    assert ("no such record" in run("worst", filled, *options)) == (ids == "")


def test_the_same_answer_is_shown_once_unless_asked_for(path, outcome):
    with RecordStore(path) as store:
        store.record(outcome())
        store.record(outcome())
    assert "seen 2 times" in run("worst", path)
    assert len(run("worst", path, "--json").splitlines()) == 1
    assert len(run("worst", path, "--json", "--repeated").splitlines()) == 2


def test_show_prints_all_of_one_record(filled):
    shown = run("show", filled, "aaaaaa")
    for words in ("[s1]", "delivered (redact):", "Redacted.", "passage [p1 The bridge]", "It is 300 metres long."):
        assert words in shown
    assert json.loads(run("show", filled, "a" * 32, "--json"))["delivered"] == "Redacted."


def test_stats_are_weighted(filled):
    shown = run("stats", filled)
    assert "contradicted" in shown
    assert "33.3%" in shown
    assert "retriever bm25" in shown
    found = json.loads(run("stats", filled, "--label", "retriever=bm25", "--json"))
    assert (found["records"], found["verdicts"][0]["share"], found["labelled"]) == (2, 0.5, 0)
    assert "no records" in run("stats", filled, "--label", "retriever=dense")


def test_stats_fit_a_narrow_terminal(filled):
    done = CliRunner().invoke(app, ["monitor", "stats", str(filled)], env={"COLUMNS": "80"})
    assert "contradicted   unsupported   unverified" in done.output


def test_label_then_export_then_eval(filled, tmp_path):
    assert "a" * 32 + "  contradicted" in run(
        "label", filled, "aaaaaa", "contradicted", "--finding", "s1", "--note", "1931", "--by", "Ana"
    )
    assert "labelled contradicted by Ana: 1931" in run("worst", filled)
    assert json.loads(run("label", filled, "bbbbbb", "supported", "--json"))["label"] == "supported"
    run("label", filled, "cccccc", "supported")  # nobody objected to it, and a label is wanted all the same
    out = tmp_path / "labelled.jsonl"
    run("export", filled, "--out", out, "--labelled")
    assert {json.loads(line)["id"][0] for line in out.read_text().splitlines()} == {"a", "b", "c"}
    done = CliRunner().invoke(app, ["eval", str(out), "--resamples", "0", "--quiet"])
    assert done.exit_code == 0, done.output
    assert "no label" in run("label", filled, "bbbbbb", "none", "--note", "unsure")
    assert "  no label: unsure" in run("worst", filled)


def test_export_writes_faults_or_all_to_a_file_or_a_pipe(filled, tmp_path):
    out = tmp_path / "out.jsonl"
    assert "2 records written" in run("export", filled, "--out", out)
    assert [json.loads(line)["id"][0] for line in out.read_text().splitlines()] == ["a", "b"]
    assert len(run("export", filled, "--out", "-", "--all").splitlines()) == 3
    assert len(run("export", filled, "--out", "-", "--limit", 1).splitlines()) == 1
    assert len(run("export", filled, "--out", "-", "--verdict", "supported").splitlines()) == 1
    pytest.importorskip("pyarrow")
    assert "3 records" in run("export", filled, "--out", tmp_path / "o.parquet", "--format", "parquet", "--all")


def test_records_without_texts_are_not_exported(path, outcome):
    with RecordStore(path, redact=lambda text: 1 / 0) as store:
        store.record(outcome())
    assert run("export", path, "--out", "-") == ""
    assert "no texts: redact failed" in run("worst", path)


def test_prune(filled):
    assert "1 records deleted" in run("prune", filled, "--days", 30)
    assert "1 records deleted" in run("prune", filled, "--max-records", 1)
    assert RecordStore(filled).get("b" * 32)


def test_texts_of_strangers_do_not_command_the_terminal(path, outcome):
    with RecordStore(path) as store:
        passage = Passage(id=f"p{EVIL}", title=EVIL, text=EVIL)
        store.record(
            outcome(
                answer=EVIL, question=EVIL, passages=[passage], reason=EVIL, text=EVIL + "!", policy=EVIL, ident="d" * 32,
                trace_id=EVIL.replace("\ud800", ""), labels={"topic": EVIL},
            )
        )  # fmt: skip
        store.flush()
        store.label("d" * 32, "contradicted", note=EVIL, by=EVIL)
    for arguments in (["worst"], ["show", "dddddd"], ["stats"], ["label", "dddddd", "supported"]):
        shown = run(arguments[0], path, *arguments[1:])
        assert not set(shown) & set("\x1b\x07\r\x9b\u202e\ud800")
        assert "[red]x[/red]" in shown


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
