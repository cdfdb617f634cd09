"""The command line with a model behind it: real commands against a real HTTP server on loopback."""

from __future__ import annotations

import json
import sys

import pytest
from typer.testing import CliRunner

from guardrail.cli.main import app, main
from guardrail.policy import Policy
from guardrail.testing import FaultKind, Faults, OpenAIServer
from tests.support.judge_script import ReadingJudge

KEY = "sk-never-shown"
PASSAGES = ["The dam is 64 metres high.", "The repair took eleven weeks. The gate was painted green in 1915."]


def record(number):
    """Answers in turn: right, wrong; each with passages of its own."""
    high = 64 if number % 2 else 71
    answer = f"The dam is {high} metres high. The repair took eleven weeks. Report {number} says so."
    return {
        "id": f"r{number}",
        "answer": answer,
        "passages": [*(f"{text} (Sheet {number}.)" for text in PASSAGES), f"Report {number} says so."],
        "label": "supported" if number % 2 else "contradicted",
    }


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def server():
    with OpenAIServer(ReadingJudge(), api_key=KEY) as running:
        yield running


@pytest.fixture
def data(tmp_path):
    return write(tmp_path / "answers.jsonl", [record(number) for number in range(8)])


def write(path, records):
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def run(*arguments, code=None, **options):
    done = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"}, **options)
    assert code is None or done.exit_code == code, (done.exit_code, done.output, done.exception)
    assert KEY not in done.output
    return done


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_check_asks_the_model_and_says_what_it_cost(server, data):
    """Two calls per answer, order and ids kept, the bill on standard error."""
    done = run("check", data, "--engine", "llm", "--model", "m", "--base-url", server.base_url,
               "--price-in", 2, "--price-out", 8, code=1)  # fmt: skip
    records = lines(done)
    assert [r["id"] for r in records] == [f"r{n}" for n in range(8)]
    assert [r["verdict"] for r in records] == ["contradicted", "supported"] * 4
    assert server.call_count == 16
    assert sum(r["usage"]["calls"] for r in records) == 16
    cost = sum(r["usage"]["cost"] for r in records)
    tokens = sum(r["usage"]["input_tokens"] for r in records)
    assert cost > 0
    assert f"usage: 8 answers, 16 calls in 16 rounds, {tokens} tokens in" in done.stderr
    assert f"cost {cost:.4f}" in done.stderr
    assert {call.body["model"] for call in server.calls} == {"m"}


def test_a_cache_folder_spares_the_next_run(server, data, tmp_path):
    """The second run makes no call and says the same."""
    arguments = ["check", data, "--engine", "llm:m", "--base-url", server.base_url, "--cache", tmp_path / "cache"]
    first = lines(run(*arguments, code=1))
    calls = server.call_count
    done = run(*arguments, code=1)
    assert server.call_count == calls
    assert "0 calls in 0 rounds" in done.stderr
    for one, other in zip(first, lines(done), strict=True):
        assert {**one, "usage": None} == {**other, "usage": None}


def test_several_answers_are_judged_at_once(data):
    """By default for a file; the output does not depend on it. (Latency makes calls overlap.)"""
    with OpenAIServer(ReadingJudge(), seconds=0.05) as slow:
        at_once = run("check", data, "--engine", "llm:m", "--base-url", slow.base_url, code=1)
        assert slow.most_at_once > 1
    with OpenAIServer(ReadingJudge(), seconds=0.01) as slow:
        one_by_one = run("check", data, "--engine", "llm:m", "--base-url", slow.base_url, "--jobs", 1, code=1)
        assert slow.most_at_once == 1
    found = [[{**r, "usage": None} for r in lines(done)] for done in (at_once, one_by_one)]
    assert found[0] == found[1]


def test_a_pipe_is_answered_line_by_line(server, data):
    """Standard input: nobody waits for lines to come."""
    done = run("check", "-", "--engine", "llm:m", "--base-url", server.base_url, code=1, input=data.read_text())
    assert [r["id"] for r in lines(done)] == [f"r{n}" for n in range(8)]
    assert server.most_at_once == 1


def test_a_cascade_asks_only_about_what_is_unsure(server, tmp_path):
    """Copied English is sure, Korean is for the model; the share and the calls saved are reported."""
    rows = [
        {"id": "sure", "answer": "The dam is 64 metres high.", "passages": PASSAGES},
        {
            "id": "unread",
            "answer": "저수지 수문은 여름에 초록색으로 칠해졌다.",
            "passages": ["그해 여름 수문을 초록색으로 칠했다."],
        },
    ]
    done = run("check", write(tmp_path / "a.jsonl", rows), "--engine", "cascade", "--model", "m",
               "--base-url", server.base_url)  # fmt: skip
    sure, unread = lines(done)
    assert (sure["verdict"], sure["usage"]["calls"], sure["usage"]["calls_saved"]) == ("supported", 0, 2)
    assert (unread["usage"]["escalated"], unread["usage"]["calls_saved"]) == (1, 1)
    assert unread["verdict"] != "unverified"
    assert server.call_count == unread["usage"]["calls"] >= 1
    assert "1 of 2 segments escalated (50%), 3 calls saved" in done.stderr


def test_eval_works_end_to_end(server, data, tmp_path):
    """Figures of the scripted judge, the same whatever --jobs."""
    figures = []
    for jobs in (1, 8):
        out = tmp_path / f"{jobs}.json"
        done = run("eval", data, "--engine", "llm", "--model", "m", "--base-url", server.base_url, "--jobs", jobs,
                   "--json", out, "--resamples", 0, code=0)  # fmt: skip
        assert "usage: 8 answers, 16 calls" in done.stderr
        figures.append(json.loads(out.read_text()))
    assert figures[0] == figures[1]
    assert figures[0]["engine"] == "llm"
    level = figures[0]["sets"][0]["levels"][0]
    assert level["figures"]["balanced_accuracy"]["value"] == 1.0


def test_eval_says_why_nothing_was_judged(data):
    """A server that is down is no result; no key in the reason."""
    with OpenAIServer(ReadingJudge(), api_key="another") as locked:
        done = run("eval", data, "--engine", "llm:m", "--base-url", locked.base_url, "--resamples", 0, code=0)
    assert "warning: 8 of 8 answers could not be judged" in done.stderr
    assert "401" in done.stderr


@pytest.mark.parametrize("command", [["check"], ["check", "--format", "text"]])
def test_check_says_why_nothing_was_judged(command, data):
    """The kind of failure in one line, whether the key is wrong or nobody listens."""
    with OpenAIServer(ReadingJudge(), api_key="another") as locked:
        done = run(*command, data, "--engine", "llm:m", "--base-url", locked.base_url, code=1)
    assert "warning: 8 of 8 answers could not be judged: the judge could not be asked: Auth" in done.stderr
    assert "401" in done.stderr
    done = run(*command, data, "--engine", "llm:m", "--base-url", locked.base_url, code=1)
    assert "warning: 8 of 8 answers could not be judged" in done.stderr
    assert "APIConnectionError" in done.stderr


def test_stress_and_calibrate_take_the_same_options(server, data, tmp_path):
    """The threshold is written for that model, and the guard says so if another one is used."""
    done = run("stress", write(tmp_path / "p.jsonl", [{"text": text} for text in PASSAGES]), "--per-type", 1,
               "--engine", "llm:m", "--base-url", server.base_url, "--json", code=0)  # fmt: skip
    assert json.loads(done.stdout)["engine"] == "llm"
    assert "usage:" in done.stderr
    rows = write(tmp_path / "many.jsonl", [record(number) for number in range(60)])
    out = tmp_path / "policy.yaml"
    run(
        "calibrate",
        rows,
        "--target-error",
        0.1,
        "--out",
        out,
        "--engine",
        "llm:m",
        "--base-url",
        server.base_url,
        code=0,
    )
    calibration = Policy.load(out).calibration
    assert calibration.engine.startswith("llm m fast prompts:")


def test_a_budget_of_calls_holds(server, data):
    """One call takes the answer apart, none is left to judge: unverified, never supported."""
    done = run("check", data, "--engine", "llm:m", "--base-url", server.base_url, "--max-calls", 1)
    for each in lines(done):
        assert each["verdict"] == "unverified"
        assert each["usage"]["calls"] == 1


def test_a_server_that_is_down_leaves_everything_unverified(data):
    """Exit code 1, all records there."""
    with OpenAIServer(ReadingJudge(), faults=Faults(rate=1.0, kinds=(FaultKind.SERVER_ERROR,))) as broken:
        done = run("check", data, "--engine", "llm:m", "--base-url", broken.base_url, "--policy", "strict",
                   "--deadline", 3, code=1)  # fmt: skip
    assert [r["verdict"] for r in lines(done)] == ["unverified"] * 8
    assert {r["action"] for r in lines(done)} == {"block"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--engine", "llm"], "--engine llm needs --model"),
        (["--engine", "cascade"], "--engine cascade needs --model"),
        (["--engine", "llm:m", "--model", "n"], "both name a model"),
        (["--engine", "llm:m", "--plan", "fats"], "Did you mean 'fast'"),
        (["--engine", "llm:m", "--price-in", "1"], "--price-out"),
        (["--engine", "local", "--model", "m"], "--model applies to --engine llm or cascade"),
        (["--engine", "minicheck", "--cache", "x"], "--cache applies to --engine llm or cascade"),
        (["--engine", "lml", "--model", "m"], "--model applies"),
        (["--engine", "lml"], "Did you mean 'llm'"),
        (["--engine", "llm:m", "--cache", "FILE"], "cache folder"),
    ],
)
@pytest.mark.parametrize("command", ["check", "eval", "stress", "calibrate"])
def test_wrong_options_are_one_line_and_code_2(command, options, says, data, tmp_path, monkeypatch, capsys):
    """Before any work."""
    more = ["--target-error", "0.1", "--out", str(tmp_path / "p.yaml")] if command == "calibrate" else []
    options = [str(data) if option == "FILE" else option for option in options]
    monkeypatch.setattr(sys, "argv", ["guardrail", command, str(data), *options, *more])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capsys.readouterr()
    assert stop.value.code == 2
    assert printed.out == ""
    assert says in printed.err
    assert len(printed.err.splitlines()) == 1


def test_no_key_and_no_endpoint_is_one_line(data, monkeypatch, capsys):
    """The key comes from the environment only."""
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setattr(sys, "argv", ["guardrail", "check", str(data), "--engine", "llm:m"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert "OPENAI_API_KEY" in capsys.readouterr().err
