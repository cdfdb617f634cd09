"""``guardrail eval`` end to end: the real guard, the real command, the files it writes."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from guardrail.cli.eval import _names
from guardrail.errors import UsageError
from guardrail.evaluation.data import output
from tests.support.labelled_answers import ROWS, run, write


def test_json_on_standard_output_is_all_there_is(data):
    done = run(data, "--json", "-", "--resamples", 0)
    assert json.loads(done.stdout)["sets"][0]["levels"][0]["figures"]["auc"] == {
        "value": 1.0,
        "low": None,
        "high": None,
    }


def test_files_of_one_name_never_become_one_set(tmp_path):
    for place in ("a/v1", "b/v1", "c/v1"):
        (tmp_path / place).mkdir(parents=True)
        write(tmp_path / place / "data.jsonl", ROWS[:2])
    (tmp_path / "c/v1/data.json").write_text(json.dumps(ROWS[:2]))
    record = json.loads(run(tmp_path, "--json", "-", "--resamples", 0).stdout)
    assert [s["name"] for s in record["sets"]] == ["data", "v1/data", "c/v1/data", f"{tmp_path.name}/c/v1/data"]
    assert [s["levels"][0]["n"] for s in record["sets"]] == [2] * 4


def test_files_that_only_their_suffix_tells_apart_are_numbered():
    names = _names("data", Path("/v1/data.json"))
    assert [next(names) for _ in range(4)] == ["data", "v1/data", "data (2)", "data (3)"]


def test_the_same_file_twice_is_read_once(data, monkeypatch):
    monkeypatch.chdir(data.parent)
    record = json.loads(run(data, data.parent, data.name, "--json", "-", "--resamples", 0).stdout)
    assert [s["levels"][0]["n"] for s in record["sets"]] == [4]


def test_limit_and_language_choose_rows(data):
    record = json.loads(run(data, "--limit", 2, "--json", "-", "--resamples", 0).stdout)
    (measured,) = record["sets"]
    assert measured["abstained"] + sum(level["n"] for level in measured["levels"]) == 2
    refused = run(data, "--lang", "zh")
    assert isinstance(refused.exception, UsageError)
    assert "'zh'" in str(refused.exception)


def test_the_threshold_of_a_policy_file_applies(data, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("preset: monitor\nthreshold: 1.0\n")
    record = json.loads(run(data, "--policy", policy, "--json", "-", "--resamples", 0).stdout)
    assert record["threshold"] == 1.0
    assert record["sets"][0]["levels"][0]["figures"]["false_alarm_rate"]["value"] == 1.0


def test_bad_rows_are_named_and_the_rest_is_measured(tmp_path):
    data = write(tmp_path / "x.jsonl", [ROWS[0], {**ROWS[0], "label": "?"}, ROWS[1]])
    done = run(data, "--json", "-", "--resamples", 0)
    assert done.exit_code == 2
    assert "x.jsonl, row 2: 'label' is '?'" in done.stderr
    assert json.loads(done.stdout)["sets"][0]["levels"][0]["n"] == 2


def test_a_bad_file_in_a_folder_is_named_and_the_rest_is_measured(tmp_path):
    write(tmp_path / "bad.jsonl", [{**ROWS[0], "label": "?"}])
    (tmp_path / "broken.json").write_text("[{")
    (tmp_path / "cut.jsonl.gz").write_bytes(b"\x1f\x8b no gzip")
    write(tmp_path / "good.jsonl", ROWS[:2])
    done = run(tmp_path, "--json", "-", "--resamples", 0)
    assert done.exit_code == 2
    for name in ("bad.jsonl", "broken.json", "cut.jsonl.gz"):
        assert name in done.stderr
    assert [s["name"] for s in json.loads(done.stdout)["sets"]] == ["good"]


@pytest.mark.parametrize("where", ["missing/out.json", "."])
def test_an_output_that_cannot_be_written_is_refused_before_the_work(data, tmp_path, where):
    done = run(data, "--json", tmp_path / where)
    assert isinstance(done.exception, UsageError)
    assert "cannot write" in str(done.exception)


def test_the_data_are_never_overwritten(data):
    before = data.read_text()
    for option in ("--html", "--json"):
        for source in (data, data.parent):
            done = run(source, option, data)
            assert isinstance(done.exception, UsageError)
            assert "is the input itself" in str(done.exception)
    assert data.read_text() == before


def test_files_that_the_data_refer_to_are_never_overwritten(tmp_path):
    (tmp_path / "response.jsonl").write_text("{}\n")
    texts = tmp_path / "source_info.jsonl"
    texts.write_text("{}\n")
    assert "is the input itself" in str(run(tmp_path, "--json", texts).exception)
    assert texts.read_text() == "{}\n"


def test_the_policy_file_is_never_overwritten(data, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("preset: strict\n")
    assert "is the input itself" in str(run(data, "--policy", policy, "--html", policy).exception)
    assert policy.read_text() == "preset: strict\n"


def test_a_result_in_the_folder_of_the_data_may_be_replaced(data, tmp_path):
    for _ in range(2):
        assert run(tmp_path, "--json", tmp_path / "out.json", "--resamples", 0).exit_code == 0


def test_two_outputs_need_two_files_and_the_page_has_to_be_one(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "two outputs" in str(run(data, "--json", "x", "--html", tmp_path / "x").exception)
    assert "standard output" in str(run(data, "--html", "-").exception)
    assert list(tmp_path.iterdir()) == [data]


def test_ctrl_c_leaves_nothing_half_written(data, tmp_path):
    """Ctrl-C comes when the text has just been written; the figures of the run before stay."""
    out = tmp_path / "out.json"
    out.write_text("old")
    seen = []

    def press(frame, event, called):
        if event == "c_return" and frame.f_code is output._fill.__code__ and called.__name__ == "write":
            seen.extend(path.name for path in tmp_path.iterdir())
            os.kill(os.getpid(), signal.SIGINT)

    sys.setprofile(press)
    try:
        done = run(data, "--json", out, "--resamples", 0)
    finally:
        sys.setprofile(None)
    assert done.exit_code != 0
    assert len(seen) == 3  # the data, the old figures, and the file being written
    assert out.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == sorted([data, out])


def test_help_has_an_example():
    done = run("--help")
    assert done.exit_code == 0
    assert "Example: guardrail eval" in done.output


def test_cases_are_counted_and_may_be_questions(tmp_path):
    """Rows over one passage are one case without intervals, and the table says what would change that."""
    rows = [{**ROWS[0], "id": str(n), "question": f"Question {n}?"} for n in range(3)]
    data = write(tmp_path / "x.jsonl", [*rows, {**ROWS[1], "id": "4", "question": "Question 4?"}])
    for case, cases in (("passage", 1), ("question", 4)):
        record = json.loads(run(data, "--json", "-", "--case", case).stdout)
        (level,) = record["sets"][0]["levels"]
        assert level["cases"] == cases
        assert (level["figures"]["auc"]["low"] is None) == (cases == 1)
    assert "4 rows in 1 case: all share passages, so there are no intervals (--case question)" in run(data).stdout
