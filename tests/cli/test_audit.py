import pytest
from typer.testing import CliRunner

from guardrail.cli.main import app
from tests.support.audited import logged, write_lines

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def run(*words):
    return CliRunner().invoke(app, ["audit", *map(str, words)])


def log_of(tmp_path, count=6):
    rows = [logged(n, bad=n == 1) for n in range(count)]
    renamed = [
        {"key": r["id"], "out": {"text": r["answer"]}, "passages": r["passages"], "model_name": "m1"} for r in rows
    ]
    return write_lines(tmp_path / "log.jsonl", renamed)


def test_an_audit_from_the_log_to_the_report(tmp_path):
    out = tmp_path / "out"
    words = (log_of(tmp_path), "--out", out, "--column", "id=key", "--column", "answer=out.text", "--label",
             "model=model_name", "--workers", 0)  # fmt: skip
    first = run(*words)
    assert first.exit_code == 0, first.output
    assert "6 rows" in first.output
    assert "6 judged" in first.output
    assert "By model" in (out / "report.md").read_text()
    assert "0 judged, 6 already in the audit" in run(*words).output
    again = run("report", out)
    assert again.exit_code == 0
    assert "of 6 answers are not supported" in again.output


def test_where_nothing_can_be_read_it_fails_and_says_why(tmp_path):
    found = run(log_of(tmp_path), "--out", tmp_path / "out", "--workers", 0)
    assert found.exit_code == 2
    assert "6 rows could not be audited" in found.output


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--column", "answer"), "must be NAME=COLUMN"),
        (("--column", "reply=x"), "unknown column 'reply'"),
        (("--budget", "5"), "--budget needs --engine cascade"),
        (("--format", "jsnl"), "unknown format 'jsnl'"),
    ],
)
def test_wrong_options_are_refused_before_the_work(tmp_path, words, reason):
    found = run(log_of(tmp_path), "--out", tmp_path / "out", "--workers", 0, *words)
    assert found.exit_code != 0
    assert reason in f"{found.output} {found.exception}"
    assert not (tmp_path / "out" / "journal.db").exists()


def test_help_has_an_example():
    assert "Example: guardrail audit" in run("run", "--help").output.replace("\n", " ")
    assert "run" in run("--help").output
    assert run("report", "--help").exit_code == 0
