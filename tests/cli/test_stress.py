"""``guardrail stress``: the real command on real passages, what it reads, prints and writes."""

from __future__ import annotations

import json
import sys

import pytest

from guardrail.cli.main import main
from guardrail.evaluation.data.plain import read
from guardrail.types import ErrorType

TEXT = (
    "The town library has 84 seats. Some readers voted against the plan. The old hall closed because the roof leaked. "
    "All books are lent free except the atlases. The choir sang before the mayor opened the hall."
)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "passages.jsonl"
    path.write_text(json.dumps({"id": 7, "title": "Library", "text": TEXT}) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def stress(monkeypatch, capsys):
    """Run the command in this process: exit code, stdout, stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["guardrail", "stress", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        out, err = capsys.readouterr()
        return exit_.value.code, out, err

    return run


def test_report_and_answers_end_to_end(stress, corpus, tmp_path):
    """The local engine judges; the written answers read back as labelled data, and the counts are theirs."""
    out = tmp_path / "answers.jsonl"
    code, printed, _ = stress(corpus, "--per-type", 3, "--out", out, "--report", "--json")
    assert code == 0
    report = json.loads(printed)
    rows = list(read(out))
    for kind, counts in report["types"].items():
        assert counts["made"] == sum(row.error_type is ErrorType(kind) for row in rows)
        assert counts["named"] <= counts["placed"] <= counts["caught"] <= counts["made"]
    assert report["honest"]["made"] == sum(row.supported for row in rows) > 0
    low, high = report["honest"]["interval_95"]
    assert low <= report["honest"]["false_alarm_rate"] <= high
    assert "mixed_entities" in report["missing"]
    assert sum(counts["caught"] for counts in report["types"].values()) > 0


def test_the_table_says_what_could_not_be_made(stress, corpus):
    code, printed, _ = stress(corpus, "--per-type", 1)
    assert code == 0
    for words in (
        "overgeneralization",
        "false alarms:",
        "95 % interval",
        "not made",
        "mixed_entities",
        "policy monitor",
    ):
        assert words in printed, words


def test_rules_are_counted_and_no_guard_runs(stress, corpus):
    code, printed, _ = stress(corpus, "--rules")
    assert code == 0
    for words in ("other_number", "contradiction", "share of the type"):
        assert words in printed, words
    assert {"rule", "error_type", "share"} <= json.loads(stress(corpus, "--rules", "--json")[1])[0].keys()


def test_out_alone_only_writes(stress, corpus, tmp_path):
    out = tmp_path / "answers.jsonl"
    code, printed, _ = stress(corpus, "--per-type", 2, "--out", out)
    assert code == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == int(printed.split()[0])
    first = out.read_bytes()
    stress(corpus, "--per-type", 2, "--out", out)
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.jsonl", None, "no such file"),
        ("a.csv", "x", "Known: .jsonl"),
        ("a.jsonl", '{"txt": "x"}\n', "line 1: no passage"),
        ("a.jsonl", "{oops\n", "line 1: is not valid JSON"),
        ("a.jsonl", '"a"\n"\udcff"\n', "line 2: is not UTF-8"),
        ("a.jsonl", "", "holds no passages"),
        ("a.txt", "Why? How? When?", "no sentence"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(stress, tmp_path, name, content, words):
    path = tmp_path / name
    if content is not None:
        path.write_text(content, encoding="utf-8", errors="surrogateescape")
    code, _, err = stress(path)
    assert code == 2
    assert words in err
    assert "Traceback" not in err


def test_the_passages_are_never_overwritten(stress, corpus, tmp_path):
    before = corpus.read_bytes()
    policy = tmp_path / "policy.yaml"
    policy.write_text("preset: strict\n")
    for arguments in ((corpus,), (tmp_path,)):
        code, _, err = stress(*arguments, "--out", corpus)
        assert code == 2
        assert "is the input itself" in err
    assert "is the input itself" in stress(corpus, "--policy", policy, "--out", policy)[2]
    assert corpus.read_bytes() == before
    assert policy.read_text() == "preset: strict\n"


def test_answers_do_not_go_among_the_passages(stress, corpus, tmp_path):
    (tmp_path / "sub").mkdir()
    code, _, err = stress(tmp_path, "--out", tmp_path / "sub" / "answers.jsonl")
    assert code == 2
    assert "among the passages" in err
    assert stress(tmp_path, "--per-type", 1, "--out", tmp_path / "answers.labelled")[0] == 0


def test_a_failed_write_is_one_line(stress, corpus, tmp_path):
    for out in (tmp_path, tmp_path / "gone" / "x.jsonl"):
        code, _, err = stress(corpus, "--out", out)
        assert code == 2
        assert "cannot write" in err


def test_answers_can_be_printed(stress, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, printed, _ = stress(corpus, "--per-type", 2, "--out", "-")
    assert code == 0
    stress(corpus, "--per-type", 2, "--out", tmp_path / "answers.jsonl")
    assert printed == (tmp_path / "answers.jsonl").read_text()
    code, _, err = stress(corpus, "--out", "-", "--report")
    assert (code, "--report" in err) == (2, True)
    assert not (tmp_path / "-").exists()


def test_a_lone_surrogate_in_a_passage_is_survived(stress, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"text": TEXT.replace("84 ", "84 \ud800")}) + "\n")
    code, _, err = stress(path, "--per-type", 1)
    assert (code, err) == (0, "")


def test_unknown_language_is_refused(stress, corpus):
    code, _, err = stress(corpus, "--lang", "fr")
    assert code == 2
    assert "'fr'" in err
