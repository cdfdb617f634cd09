"""Records and ``guardrail check``: order, ids, bad lines, exit codes, signals and pipes."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from guardrail import Guard, UsageError, cli
from guardrail.check.answer_lines import Line, Record, read_file, read_lines
from guardrail.cli.main import main
from guardrail.testing import FakeEngine
from guardrail.types.report_json import result_record

GOOD = {"id": "a", "answer": "The dam is 64 metres high.", "passages": ["The dam is 64 metres high."]}
WRONG = {"id": 7, "answer": "Napoleon invented the telephone.", "passages": [{"text": "The dam is high.", "id": 3}]}
EMPTY = {"answer": "", "passages": []}
ROOT = Path(cli.__file__).parents[2]
COMMAND = [sys.executable, "-m", "guardrail.cli.main", "check"]


def lines(*records):
    return "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records)


@pytest.fixture
def check(monkeypatch, capsys):
    """Run ``guardrail check`` in this process: exit code, JSON lines, stderr."""

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["guardrail", "check", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as exit_:
            main()
        out, err = capsys.readouterr()
        return exit_.value.code, [json.loads(line) for line in out.splitlines()], err

    return run


def start(*arguments, **kwargs):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | kwargs
    # Where the tests run in the background of a script, SIGINT is ignored, and children inherit that.
    previous = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return subprocess.Popen([*COMMAND, *map(str, arguments)], env=environment, **pipes)
    finally:
        signal.signal(signal.SIGINT, previous)


def test_order_and_ids_are_kept(tmp_path, check):
    """Ids as given (text, number, none), one line each, with what the design promises."""
    path = tmp_path / "in.jsonl"
    path.write_text(lines(GOOD, WRONG, "", GOOD | {"id": None}), encoding="utf-8")
    code, out, err = check(path)
    assert [(r["id"], r["verdict"], r["action"]) for r in out] == [
        ("a", "supported", "allow"),
        (7, "unsupported", "flag"),
        (None, "supported", "allow"),
    ]
    assert {"id", "verdict", "score", "findings", "scores", "action", "text"} <= set(out[0])
    assert out[1]["findings"][0]["text"] == WRONG["answer"]
    assert (code, err) == (1, "")


def test_exit_code_0_where_there_is_nothing_to_object(tmp_path, check):
    """And 1 where the policy acted (see above)."""
    path = tmp_path / "in.jsonl"
    path.write_text(lines(GOOD, GOOD), encoding="utf-8")
    assert check(path)[0] == 0


BAD = {
    "json": ("{not json", "not valid JSON"),
    "list": ("[1]", "must be a JSON object, got list"),
    "answer": (json.dumps({"anwser": "x", "passages": []}), "has no 'answer'.*rename 'anwser'"),
    "passages": (json.dumps({"answer": "x", "passages": "p"}), "passages: .*list.*'p'"),
    "passage": (json.dumps({"answer": "x", "passages": [{"txt": "p"}]}), "passages.0.text: field required"),
    "type": (json.dumps({"answer": 3, "passages": []}), "answer: .*string, got 3"),
    "twins": (json.dumps({"answer": "x", "passages": [{"text": "p", "id": 1}] * 2}), "same id '1'"),
    "digits": ('{"id": ' + "1" * 5_000 + "}", "not valid JSON"),
    "depth": ("[" * 100_000, "not valid JSON"),
}


@pytest.mark.parametrize(("bad", "message"), BAD.values(), ids=BAD)
def test_a_bad_line_is_reported_with_its_number_and_the_rest_goes_on(tmp_path, check, bad, message):
    """Its error stands in the output in its place, and on stderr; exit code 2."""
    path = tmp_path / "in.jsonl"
    path.write_text(lines(GOOD, bad, GOOD), encoding="utf-8")
    code, out, err = check(path)
    assert code == 2
    assert [r.get("verdict") for r in out] == ["supported", None, "supported"]
    assert out[1]["line"] == 2
    assert re.search(message, out[1]["error"])
    assert err.startswith("line 2: ")


def test_a_bad_line_keeps_its_id(check):
    """So that results can be joined."""
    code, [out], _ = check("-", stdin=lines({"id": "q9", "answer": 3, "passages": []}).encode())
    assert (code, out["id"], out["line"]) == (2, "q9", 1)


def test_a_line_that_is_not_utf8_spoils_only_itself(tmp_path, check):
    """From a file and from standard input."""
    raw = lines(GOOD).encode() + b'{"answer": "caf\xe9", "passages": []}\n' + lines(GOOD).encode()
    path = tmp_path / "in.jsonl"
    path.write_bytes(raw)
    for code, out, err in (check(path), check("-", stdin=raw)):
        assert (code, [r.get("verdict") for r in out]) == (2, ["supported", None, "supported"])
        assert "line 2" in err
        assert "not UTF-8" in err


def test_strict_stops_at_the_first_bad_line(tmp_path, check):
    """What came before is written."""
    path = tmp_path / "in.jsonl"
    path.write_text(lines(GOOD, "{", GOOD), encoding="utf-8")
    code, out, err = check(path, "--strict")
    assert code == 2
    assert [r.get("verdict") for r in out] == ["supported", None]
    assert "Stopped, as --strict asks" in err


def test_standard_input_with_mark_and_carriage_returns(check):
    """A byte order mark and CRLF, as Windows tools write them; '-' and no argument are the same."""
    raw = b"\xef\xbb\xbf" + lines(GOOD, WRONG).replace("\n", "\r\n").encode()
    for arguments in (("-",), ()):
        code, out, _ = check(*arguments, stdin=raw)
        assert (code, [r["id"] for r in out]) == (1, ["a", 7])


def test_a_file_with_mark_and_carriage_returns(tmp_path, check):
    """The same from a file."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines(GOOD, WRONG).replace("\n", "\r\n").encode())
    assert [r["id"] for r in check(path)[1]] == ["a", 7]


@pytest.mark.parametrize("content", [[GOOD, WRONG], WRONG])
def test_json_files_hold_one_record_or_a_list(tmp_path, check, content):
    """The suffix says so; pretty printing is allowed."""
    path = tmp_path / "in.json"
    path.write_text(json.dumps(content, indent=2), encoding="utf-8")
    code, out, _ = check(path)
    assert (code, out[-1]["id"]) == (1, 7)
    assert len(out) == (2 if isinstance(content, list) else 1)


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_empty_input_is_no_error(tmp_path, check, raw):
    """Nothing in, nothing out, and a word about it."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(raw)
    assert check(path) == check("-", stdin=raw) == (0, [], "no records in the input\n")


USAGE = {
    "no file": (["nowhere.jsonl"], "cannot read 'nowhere.jsonl'"),
    "policy": (["-", "--policy", "strickt"], "Did you mean 'strict'"),
    "engine": (["-", "--engine", "lokal"], "unknown engine 'lokal'"),
    "deadline": (["-", "--deadline", "0"], "deadline"),
    "option": (["-", "--polcy", "x"], "--polcy"),
    "out": (["-", "--out", "no/such/folder/x"], "cannot write"),
}


@pytest.mark.parametrize(("arguments", "message"), USAGE.values(), ids=USAGE)
def test_wrong_usage_is_exit_code_2_without_a_traceback(check, arguments, message):
    """One message that names the value."""
    code, out, err = check(*arguments)
    assert (code, out) == (2, [])
    assert message in err
    assert "Traceback" not in err


def test_broken_json_files_are_wrong_usage(tmp_path, check):
    """The message points to JSONL."""
    path = tmp_path / "in.json"
    path.write_text(lines(GOOD, GOOD), encoding="utf-8")
    code, _, err = check(path)
    assert code == 2
    assert ".jsonl" in err


def test_a_policy_file_decides(tmp_path, check):
    """Text and action follow it."""
    rules = tmp_path / "rules.yaml"
    rules.write_text("preset: strict\nmessages: {en: Ask a librarian.}\n", encoding="utf-8")
    code, [out], _ = check("-", "--policy", rules, stdin=lines(WRONG).encode())
    assert (code, out["action"], out["text"]) == (1, "block", "Ask a librarian.")


def test_out_writes_to_a_file(tmp_path, check):
    """And leaves standard output alone."""
    code, out, _ = check("-", "--out", tmp_path / "out.jsonl", stdin=lines(GOOD).encode())
    assert (code, out) == (0, [])
    assert json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))["id"] == "a"


def test_text_format_shows_what_utf8_cannot_hold(tmp_path, check):
    """A lone surrogate in an answer is shown as what cannot be shown, one character for one."""
    raw = lines(WRONG | {"answer": "Napoleon\ud800 invented the telephone."}).encode()
    code, _, err = check("-", "--format", "text", "--out", tmp_path / "out.txt", stdin=raw)
    assert (code, err) == (1, "")
    assert "Napoleon� invented" in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_a_huge_line_is_checked(check):
    """Four hundred kilobytes of passages in one line: far more than a pipe or a read holds at once."""
    record = GOOD | {"passages": [*GOOD["passages"], *["Bees dance in hives. " * 2_500] * 8]}
    code, [out], _ = check("-", "--quiet", stdin=lines(record).encode())
    assert (code, out["verdict"]) == (0, "supported")


def test_many_lines_need_no_more_memory_than_fewer():
    """Streamed from a generator to a sink: nothing of a line that is done is kept."""
    guard, text = Guard(engine=FakeEngine()), json.dumps(GOOD | {"answer": "The documents do not say."})
    blocks, sizes = [], 0
    for line in read_lines(text for _ in range(2_500)):
        guarded = guard.run(line.record.answer, line.record.to_passages())
        sizes += len(json.dumps(result_record(line.number, guarded)))
        if line.number in (1_000, 2_500):
            gc.collect()
            blocks.append(sys.getallocatedblocks())
    assert sizes > 2_000
    assert guard.engine.calls == []  # the cheap path: the fake engine would remember its calls
    assert blocks[1] - blocks[0] < 1_000  # a kept line has one at least


def test_reading_is_lazy():
    """A stream that never ends can be read."""

    def endless():
        while True:
            yield json.dumps(EMPTY)

    found = read_lines(endless())
    assert [next(found) for _ in range(3)][-1] == Line(3, Record(answer="", passages=[]))


def test_read_file_names_the_missing_file(tmp_path):
    """The error comes on the first line asked for."""
    with pytest.raises(UsageError, match="cannot read"):
        next(read_file(tmp_path / "nowhere.jsonl"))


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_exits_130_without_a_traceback():
    """While it waits for the next line of a pipe."""
    with start("-") as process:
        process.stdin.write(lines(GOOD).encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "a"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    """Like ``| head -1``: the pipe closes, and nothing is printed about it."""
    path = tmp_path / "in.jsonl"
    path.write_text(lines(*[GOOD] * 300), encoding="utf-8")
    with start(path, stdin=subprocess.DEVNULL) as process:
        assert json.loads(process.stdout.readline())["id"] == "a"
        process.stdout.close()
        assert process.stderr.read() == b""
