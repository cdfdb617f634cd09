"""The tables of ``guardrail eval``."""

from __future__ import annotations

import json

from tests.support.labelled_answers import ROWS, run, write


def test_tables_json_and_page(data, tmp_path):
    done = run(data, "--json", tmp_path / "out.json", "--html", tmp_path / "out.html", "--resamples", 50)
    assert done.exit_code == 0, done.output
    assert "set <i>&: answers" in done.output
    assert "answers that decline, seen as such: 1 of 1" in done.output
    record = json.loads((tmp_path / "out.json").read_text())
    (measured,) = record["sets"]
    assert measured["name"] == "set <i>&"
    (level,) = measured["levels"]
    assert (level["n"], level["supported"]) == (4, 2)
    assert level["figures"]["balanced_accuracy"]["value"] == 1.0
    assert record["threshold"] == 0.5
    assert record["engine"] == "local"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_folder_gives_a_line_per_set_and_a_mean(tmp_path):
    write(tmp_path / "one.jsonl", ROWS)
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub" / "one.jsonl", ROWS[:2])
    write(tmp_path / "two.jsonl", ROWS[:2])
    done = run(tmp_path, "--json", "-", "--resamples", 0)
    record = json.loads(done.stdout)
    assert [s["name"] for s in record["sets"]] == ["one", "sub/one", "two"]
    assert record["mean"]["balanced_accuracy"] == 1.0
    assert "mean" in run(tmp_path, "--resamples", 0).output


def test_names_out_of_the_data_can_do_nothing_to_the_terminal(tmp_path):
    names = ["\x1b[31mred", "\ud800lone", "[bold]markup[/bold]"]
    write(tmp_path / "x.jsonl", [ROWS[0], *({**ROWS[1], "error_type": name} for name in names)])
    done = run(tmp_path / "x.jsonl", "--resamples", 0, "--html", tmp_path / "out.html")
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert "�[31mred" in done.output
    assert "[bold]markup[/bold]" in done.output
    assert "�lone" in (tmp_path / "out.html").read_text(encoding="utf-8")
