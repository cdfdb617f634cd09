"""``guardrail calibrate``: from labelled answers to a policy file that the guard uses."""

from __future__ import annotations

import hashlib
import json
import sys

import pytest
import yaml

from guardrail import Guard, Policy
from guardrail.cli.main import main
from guardrail.policy.calibration import engine_identity

TOWNS = (
    "Arden Brill Corvo Dunmore Elsby Farrow Gantry Hexham Irlam Jarrow Kelso Lorne Moffat Nairn Orkney Penrith".split()
)


PASSAGE = (
    "{} Bridge was opened to traffic in 1954. Its two towers carry a deck of steel, and the toll was dropped in 1980."
)


RIGHT = "{} Bridge was opened to traffic in 1954."


WRONG = "{} Bridge was designed by a violinist from Vienna who disliked railways."


def records(*, wrong=12, right=4, label="unsupported"):
    towns = [f"{town} {suffix}" for suffix in ("North", "South") for town in TOWNS]
    rows = [(WRONG, label)] * wrong + [(RIGHT, "supported")] * right
    return [
        {"id": n, "answer": text.format(towns[n % 32]), "passages": [PASSAGE.format(towns[n % 32])], "label": given}
        for n, (text, given) in enumerate(rows)
    ]


@pytest.fixture
def calibrate(monkeypatch, capsys, tmp_path):
    """Run the command in this process on some records: exit code, policy file, stdout, stderr."""

    def run(rows, *arguments, command="calibrate"):
        data, out = tmp_path / "labelled.jsonl", tmp_path / "policy.yaml"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        argv = ["guardrail", command, str(data), *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", argv + ([] if "--out" in argv else ["--out", str(out)]))
        with pytest.raises(SystemExit) as exit_:
            main()
        text, err = capsys.readouterr()
        return exit_.value.code, out, text, err

    return run


def test_the_threshold_is_written_with_its_guarantee_and_used(calibrate, tmp_path):
    """The whole way: labels, file, ``--policy`` file; the wrong answers are flagged, the right ones pass."""
    rows = records(wrong=30, right=10)
    code, out, text, err = calibrate(rows, "--target-error", 0.1, "--policy", "strict", "--date", "2026-01-05")
    assert (code, err) == (0, "")
    policy = Policy.load(out)
    block = policy.calibration
    assert (policy.threshold, policy.actions) == (block.threshold, Policy.strict().actions)
    assert (block.n, block.risk, block.target, block.delta, block.date) == (30, "missed", 0.1, None, "2026-01-05")
    assert block.data == hashlib.sha256((tmp_path / "labelled.jsonl").read_bytes()).hexdigest()
    assert block.engine == engine_identity(Guard().engine)
    assert block.guarantee.startswith("Of answers that the passages do not support, at most 10 % are delivered")
    assert f"threshold {policy.threshold:g} written to" in text
    assert block.guarantee in text
    code, _, _, _ = calibrate(rows, "--policy", out, "--out", tmp_path / "r.jsonl", command="check")
    verdicts = [json.loads(line)["verdict"] for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert sum(v == "supported" for v in verdicts[:30]) <= 3
    assert code == 1


def test_what_is_printed_as_json_says_the_same_as_the_file(calibrate):
    """Counts, observed risk and cost beside it."""
    rows = [*records(wrong=16), {"answer": "I cannot tell from the sources.", "passages": ["x"], "label": "abstained"}]
    code, out, text, _ = calibrate(rows, "--target-error", 0.1, "--delta", 0.2, "--json")
    said = json.loads(text)
    block = yaml.safe_load(out.read_text())["calibration"]
    assert code == 0
    assert {key: said[key] for key in block} == block
    assert (said["right"], said["wrong"], said["declines"], said["delta"]) == (4, 16, 1, 0.2)
    assert said["observed_risk"] <= 0.1
    assert "date" not in block
    assert "with probability 0.8" in block["guarantee"]


def test_too_few_labels_write_nothing(calibrate):
    """The message says how many are needed."""
    code, out, text, err = calibrate(records(wrong=8), "--target-error", 0.05)
    assert (code, text, out.exists()) == (2, "", False)
    assert (
        "8 wrong answers are too few for 'missed' at 0.05: at least 19 are needed. Label 11 more wrong answers" in err
    )


def test_answers_on_the_same_passages_are_not_independent(calibrate):
    """30 questions about five passages are five cases, not thirty."""
    rows = [
        {"id": n, "question": f"Question {n}?", "answer": WRONG.format(TOWNS[n % 5]), "label": "unsupported",
         "passages": [PASSAGE.format(TOWNS[n % 5])]}
        for n in range(30)
    ]  # fmt: skip
    code, out, _, err = calibrate(rows, "--target-error", 0.1)
    assert (code, out.exists()) == (2, False)
    assert "30 wrong answers make only 5 cases" in err
    assert (
        "at least 9 cases are needed. A case is all answers that share a question or a passage (`--case question`: a question). Label wrong answers of 4 more cases"
        in err
    )
    code, out, _, _ = calibrate(rows, "--target-error", 0.1, "--case", "question")
    assert (code, Policy.load(out).calibration.n) == (0, 30)
    assert "over the same passages" in Policy.load(out).calibration.guarantee
    code, out, _, _ = calibrate(rows, "--target-error", 0.2)
    assert (code, Policy.load(out).calibration.n) == (0, 5)
    assert "the 5 cases of 30 labelled" in Policy.load(out).calibration.guarantee


def test_a_costly_threshold_is_warned_of(calibrate):
    """Wrong labels on copied sentences: nothing but a threshold above all scores keeps them back."""
    rows = [row | {"label": "unsupported"} for row in records(wrong=0, right=12)] + records(wrong=0, right=4)
    code, _, text, err = calibrate(rows, "--target-error", 0.1)
    assert code == 0
    assert "right answers flagged: 100.0%" in text
    assert "warning: 100% of right answers flagged" in err


def test_a_policy_file_to_start_from_keeps_its_fields(calibrate, tmp_path):
    """Its own threshold and calibration are replaced."""
    start = tmp_path / "house.yaml"
    start.write_text("preset: annotate\nname: house\nthreshold: 0.9\nstyle: plain\nactions: {contradicted: block}\n")
    code, out, _, _ = calibrate(records(), "--target-error", 0.1, "--policy", start)
    old, new = Policy.load(start), Policy.load(out)
    assert code == 0
    assert new == old.with_(threshold=new.threshold, calibration=new.calibration)
    again = tmp_path / "again.yaml"
    assert calibrate(records(), "--target-error", 0.2, "--policy", out, "--out", again)[0] == 0
    assert Policy.load(again).calibration.target == 0.2


def test_data_that_nobody_can_judge_are_refused(calibrate):
    """UNVERIFIED is never delivered as supported, which would look like safety."""
    rows = [row | {"answer": "이 다리는 한 기술자가 설계하여 1954년에 지어졌다."} for row in records()]
    code, out, _, err = calibrate(rows, "--target-error", 0.1)
    assert (code, out.exists()) == (2, False)
    assert "could not judge 16 of 16" in err


def unreadable(**changes):
    """Rows that the guard cannot judge: an error that comes only with the work."""
    return [row | {"answer": "이 다리는 한 기술자가 설계하여 1954년에 지어졌다."} | changes for row in records()]


PLACES = {
    "data": ("labelled.jsonl", "the input itself"),
    "no folder": ("no/p.yaml", "no folder"),
    "a folder": ("", "it is a folder"),
}


@pytest.mark.parametrize(("argument", "message"), PLACES.values(), ids=PLACES)
def test_a_bad_place_for_the_file_is_refused_before_the_work(calibrate, tmp_path, argument, message):
    code, _, _, err = calibrate(unreadable(), "--target-error", 0.1, "--out", tmp_path / argument)
    assert code == 2
    assert message in err


def test_a_policy_is_not_written_to_standard_output(calibrate, tmp_path, monkeypatch):
    """Nor into a file of the name "-"."""
    monkeypatch.chdir(tmp_path)
    code, _, text, err = calibrate(unreadable(), "--target-error", 0.1, "--out", "-")
    assert (code, text, (tmp_path / "-").exists()) == (2, "", False)
    assert "Name a file" in err


def test_a_policy_file_is_not_written_over_itself(calibrate, tmp_path):
    """Its comments would be lost."""
    start = tmp_path / "policy.yaml"
    start.write_text("# ours\nthreshold: 0.9\n")
    code, out, _, err = calibrate(records(), "--target-error", 0.1, "--policy", start)
    assert (code, out.read_text()) == (2, "# ours\nthreshold: 0.9\n")
    assert "is the policy file to start from" in err


BOUNDS = {
    "target": (("--target-error", 5), "target error must lie between 0 and 1, got 5.0"),
    "delta": (("--target-error", 0.1, "--delta", 2), "delta must lie between 0 and 1, got 2.0"),
    "labels": (("--target-error", 0.01), "12 wrong answers are too few for 'missed' at 0.01: at least 99"),
}


@pytest.mark.parametrize(("arguments", "message"), BOUNDS.values(), ids=BOUNDS)
def test_what_cannot_be_had_is_refused_before_the_work(calibrate, arguments, message):
    code, _, _, err = calibrate(unreadable(), *arguments)
    assert code == 2
    assert message in err
    assert "could not judge" not in err


def test_answers_are_judged_under_the_deadline_of_the_policy(calibrate, tmp_path):
    """Else the guard that uses the file would be late where the calibration never was."""
    start = tmp_path / "hasty.yaml"
    start.write_text("deadline: 0.000001\n")
    code, out, _, err = calibrate(records(), "--target-error", 0.1, "--policy", start)
    assert (code, out.exists()) == (2, False)
    assert "could not judge 16 of 16" in err


def test_the_deadline_stands_in_the_guarantee(calibrate, tmp_path):
    """That of a preset, and none where the file says so."""
    start = tmp_path / "patient.yaml"
    start.write_text("deadline: null\n")
    for policy, words in (("strict", "a deadline of 10 s on a machine as fast."), (start, "no deadline.")):
        code, out, text, _ = calibrate(records(), "--target-error", 0.1, "--policy", policy, "--json")
        assert (code, json.loads(text)["deadline"]) == (0, Policy.load(out).deadline)
        assert Policy.load(out).calibration.guarantee.endswith(words)


def test_rows_that_cannot_be_read_stop_the_command_unless_told(calibrate):
    """What a guarantee leaves out is for the user to say."""
    rows = [*records(), {"answer": "x", "passages": ["x"], "label": "perhaps"}, {"answer": 3}]
    code, out, text, err = calibrate(rows, "--target-error", 0.1)
    assert (code, text, out.exists()) == (2, "", False)
    assert "rows that cannot be read: 2. Mend them, or leave them out with --skip-bad" in err
    assert "perhaps" in err
    code, out, text, _ = calibrate(rows, "--target-error", 0.1, "--skip-bad")
    assert (code, out.exists()) == (0, True)
    assert "could not be read: 2" in text
    code, _, text, _ = calibrate(rows, "--target-error", 0.1, "--skip-bad", "--json")
    assert (code, json.loads(text)["unreadable"], json.loads(text)["answers"]) == (0, 2, 16)


@pytest.mark.parametrize("make", ["file", "folder"])
def test_a_preset_is_meant_also_where_a_file_has_its_name(calibrate, tmp_path, monkeypatch, make):
    """As for Policy.load."""
    monkeypatch.chdir(tmp_path)
    if make == "file":
        (tmp_path / "strict").write_text("preset: repair\n")
    else:
        (tmp_path / "strict").mkdir()
    code, out, _, _ = calibrate(records(), "--target-error", 0.1, "--policy", "strict")
    assert code == 0
    assert Policy.load(out).actions == Policy.strict().actions


def test_a_threshold_of_zero_says_what_is_flagged_still(calibrate):
    """Of the logic errors only a reversed relation."""
    code, out, _, err = calibrate(records(), "--target-error", 0.9, "--risk", "delivered-wrong")
    assert (code, Policy.load(out).threshold) == (0, 0.0)
    assert "flags only a namesake's facts, reversed relations and what could not be judged" in err


def test_claims_and_answers_are_not_mixed(calibrate):
    """A guarantee needs one kind of thing."""
    claim = {"id": "c", "dataset": "d", "question": None, "passages": ["x"], "text": "y", "context_answer": "y z"}
    rows = [claim | {"label": "supported"}, claim | {"label": "supported", "context_answer": None}]
    code, _, _, err = calibrate(rows, "--target-error", 0.1)
    assert code == 2
    assert "1 claims and 1 whole answers" in err
