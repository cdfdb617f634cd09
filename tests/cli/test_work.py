"""One pass over a file of RefChecker's items: order, errors in place, standard input."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard, UsageError
from guardrail.cli.check import check_item
from guardrail.cli.work import Pass, work_through_items
from guardrail.evaluation.data.refchecker import Aggregator
from guardrail.testing import FakeEngine
from tests.support.refchecker_items import DAM, item

BAD = {
    "list": ([1], "must be a JSON object, got list"),
    "text": ("x", "must be a JSON object, got str"),
    "response": ({"answer": "x"}, "has no 'response'.*answer"),
    "null": (item(response=None), "response: .*string, got None"),
    "number": (item(response=3), "response: .*string, got 3"),
    "claims": (item(claims="x"), "claims: .*list, got 'x'"),
    "pair": (item(claims=[["a", "b"]]), "claim 1 must be a text or"),
    "object": (item(triplets=[{"h": 1}]), "claim 1 must be a str"),
    "blank": (item(claims=["a", ""]), "claim 2 is empty"),
    "reference": (item(reference=[1]), "reference: "),
    "none": ({"response": "x"}, "has no 'reference'.*--retriever"),
}


@pytest.mark.parametrize(("bad", "message"), BAD.values(), ids=BAD)
def test_an_item_that_is_wrong_keeps_its_place_and_says_why(refchecker, bad, message):
    """The others are checked all the same; exit code 2."""
    code, out, err = refchecker("check", [item(), bad, item()])
    assert (code, len(out), [("ys" in o) for o in out]) == (2, 3, [True, False, True])
    assert out[1].pop("error") in err
    assert out[1] == (bad if isinstance(bad, dict) else {})
    with pytest.raises(UsageError, match=message):
        check_item(Guard(engine=FakeEngine()), bad, Aggregator.SOFT, needs_claims=False)


def test_strict_stops_and_leaves_a_whole_list(refchecker, tmp_path, command):
    """What was done is valid JSON."""
    path, out = tmp_path / "three.json", tmp_path / "out.json"
    path.write_text(json.dumps([item(), {}, item()]), encoding="utf-8")
    code, _, err = command("check", path, "--format", "refchecker", "--strict", "--out", out)
    assert (code, "item 2" in err) == (2, True)
    assert len(json.loads(out.read_text(encoding="utf-8"))) == 2


def test_an_empty_list_and_a_single_object(refchecker):
    """Nothing in, nothing out; one object is a list of one."""
    assert refchecker("check", [])[:2] == (0, [])
    assert len(refchecker("extract", item())[1]) == 1


def test_broken_files_are_wrong_usage(tmp_path, command):
    """Exit code 2, nothing printed."""
    path = tmp_path / "in.json"
    for content in (b"{", b'["caf\xe9"]'):
        path.write_bytes(content)
        code, out, err = command("check", path, "--format", "refchecker")
        assert (code, out, "Traceback" in err) == (2, "", False)
    assert command("check", tmp_path / "none.json", "--format", "refchecker")[0] == 2
    assert command("check", "-", "--aggregator", "major")[0] == 2  # applies to that format only


def test_standard_input(command):
    """With a byte order mark."""
    raw = b"\xef\xbb\xbf" + json.dumps([item(claims=[DAM])]).encode()
    code, out, _ = command("check", "-", "--format", "refchecker", stdin=raw)
    assert (code, json.loads(out)[0]["ys"]) == (0, ["Entailment"])


def test_several_jobs_keep_the_order(tmp_path):
    """Each item's own labels, in its place."""
    path, out = tmp_path / "in.json", tmp_path / "out.json"
    path.write_text(json.dumps([item(id=n, claims=[f"claim {n}"] * n) for n in range(30)]), encoding="utf-8")
    guard = Guard(engine=FakeEngine({f"claim {n}": "unsupported" for n in range(0, 30, 2)}, seconds=0.002))
    way = Pass(file=path, out=out, doing="checking", jobs=8, strict=False, shown=False)
    tally = work_through_items(way, lambda raw: check_item(guard, raw, Aggregator.SOFT, needs_claims=True))
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [(o["id"], len(o["ys"])) for o in found] == [(n, n) for n in range(30)]
    assert (tally.total, tally.wrong) == (30, 0)


def test_extract_adds_claims_and_check_reads_them(tmp_path, command):
    """Their two steps, over a file."""
    first, second = tmp_path / "in.json", tmp_path / "mid.json"
    first.write_text(json.dumps([item(), item(response="I do not know.")]), encoding="utf-8")
    assert command("extract", first, "--format", "refchecker", "--out", second)[0] == 0
    taken = json.loads(second.read_text(encoding="utf-8"))
    assert [len(t["claims"]) for t in taken] == [3, 0]
    code, out, _ = command("check", second, "--claims", "--format", "refchecker", "--aggregator", "strict")
    assert (code, [o["Y"] for o in json.loads(out)]) == (1, ["Neutral", "Abstain"])
