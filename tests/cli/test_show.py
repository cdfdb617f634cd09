"""Texts of strangers on a terminal."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from guardrail.cli.main import app
from guardrail.cli.show import one_line, printable


@pytest.mark.parametrize("text", ["plain\ttext\n", "桥，", "👩‍👩‍👧 🇩🇪", "a\u00a0b\u3000c", "مرحبا", "naïve e\u0301"])
def test_ordinary_texts_stay(text):
    assert printable(text) == text


@pytest.mark.parametrize(
    "command", ["\x1b", "\x9b", "\x07", "\r", "\x08", "\x7f", "\x00", "\u202e", "\u2066", "\ud800"]
)
def test_what_commands_a_terminal_is_replaced_in_place(command):
    assert printable(f"a{command}b") == "a�b"


def test_one_line_is_short():
    assert one_line(" a\n\n b\x1b \t c ") == "a b� c"
    assert one_line("abc def", 4) == "abc…"
    assert one_line("abc", 3) == "abc"


def test_a_report_for_people_holds_no_commands(tmp_path):
    evil = "The tower is \x1b[31m9 metres\x1b]0;title\x07 high\u202e."
    record = {
        "id": evil,
        "answer": evil,
        "passages": [{"id": "p\x1b[2J", "title": "x\x1b", "text": "The tower is \x1b[31m8 metres high."}],
        "claims": [["The tower\x1b", "is", "9 metres high\x9b"]],
    }
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record))
    for more in ([], ["--claims"], ["--policy", "annotate"]):
        done = CliRunner().invoke(app, ["check", str(path), "--format", "text", *more])
        assert "9 metres" in done.output
        assert "8 metres" in done.output
        assert not set(done.output) & set("\x1b\x9b\x07\u202e")
