"""RefChecker's files: what is read, what is written, in which order, and what is said of items that are wrong."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, replace

import pytest

from guardrail import EngineError, Guard, UsageError
from guardrail.check.contract import Draft
from guardrail.cli.check import check_item
from guardrail.cli.extract import extract_item
from guardrail.cli.main import main
from guardrail.cli.work import Pass, work_through_items
from guardrail.evaluation.data.refchecker import Aggregator, read_item, read_items
from guardrail.testing import FakeEngine
from guardrail.types import Claim

DAM = "Larkmoor Dam was built between 1958 and 1963."
HIGH = "It is 64 metres high."
WRONG = "Rita Halloway designed it."
REFERENCE = f"{DAM} {HIGH}"


def item(**fields):
    """An item in RefChecker's own order of keys."""
    return {"reference": REFERENCE, "question": "What is Larkmoor Dam?", "response": f"{DAM} {HIGH} {WRONG}"} | fields


@pytest.fixture
def command(monkeypatch, capsys):
    """Run ``guardrail`` in this process: exit code, what was printed, stderr."""

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["guardrail", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as exit_:
            main()
        out, err = capsys.readouterr()
        return exit_.value.code, out, err

    return run


@pytest.fixture
def refchecker(tmp_path, command):
    """The same on a file of items, in RefChecker's format; the items that come out."""

    def run(verb, items, *arguments):
        path = tmp_path / "in.json"
        path.write_text(json.dumps(items, ensure_ascii=False), encoding="utf-8")
        code, out, err = command(verb, path, "--format", "refchecker", *arguments)
        return code, json.loads(out), err

    return run


def test_extract_check_keeps_fields_and_order_and_adds_labels(refchecker):
    """Their extract-check, with the shipped engine; exit code 1 since the policy flags it."""
    code, [out], err = refchecker("check", [item(mine={"a": [1, "é"]}, id=7)])
    assert (code, err) == (1, "")
    assert list(out)[:5] == ["reference", "question", "response", "mine", "id"]
    assert (out["mine"], out["id"], out["reference"]) == ({"a": [1, "é"]}, 7, REFERENCE)
    assert out["claims"] == [DAM, "Larkmoor Dam is 64 metres high.", WRONG]
    assert out["ys"] == ["Entailment", "Entailment", "Neutral"]
    assert out["Y"] == pytest.approx(
        {"Entailment": 2 / 3, "Neutral": 1 / 3, "Contradiction": 0, "Unverified": 0, "Abstain": 0}
    )
    assert [out["response"][a:b] for a, b in out["spans"]] == [DAM, HIGH, WRONG]
    first = out["evidence"][0][0]
    assert (first["reference"], REFERENCE[slice(*first["span"])]) == (0, first["quote"])
    assert "ys_by_reference" not in out
    assert "Halloway" in out["reasons"][2]


TRIPLETS = [["Larkmoor Dam", "built", "between 1958 and 1963"], ["Rita Halloway", "designed", "Larkmoor Dam"]]


@pytest.mark.parametrize(
    "fields",
    [
        {"triplets": TRIPLETS},
        {"claims": TRIPLETS},
        {"triplets": [TRIPLETS]},  # their issue 18
        {"claims": [[TRIPLETS[0]], [[TRIPLETS[1]]], []]},
        {"claims": ["Larkmoor Dam built between 1958 and 1963.", TRIPLETS[1]]},
        {"claims": TRIPLETS, "triplets": [["not", "looked", "at"]]},
        {"claims": None, "triplets": TRIPLETS},
    ],
)
def test_claims_as_versions_of_theirs_write_them(fields):
    """Texts, triplets, and lists of them; what was read stays as it was."""
    guard = Guard(engine=FakeEngine({"Halloway": "contradicted"}))
    out = check_item(guard, item(**fields), Aggregator.STRICT, needs_claims=True).item
    assert (out["ys"], out["Y"]) == (["Entailment", "Contradiction"], "Contradiction")
    assert {key: out[key] for key in fields} == fields


@pytest.mark.parametrize(
    ("labels", "strict", "major"),
    [
        (["supported", "supported"], "Entailment", "Entailment"),
        (["supported", "supported", "unsupported"], "Neutral", "Entailment"),
        (["supported", "contradicted"], "Contradiction", "Contradiction"),
        (["supported", "unverified"], "Unverified", "Unverified"),
        (["supported", "supported", "unverified"], "Unverified", "Entailment"),
        ([], "Abstain", "Abstain"),
    ],
)
def test_aggregation(labels, strict, major):
    """Strict, soft and major; what was not judged is neither Neutral nor left out."""
    raw = item(claims=[f"claim {n} {label}!" for n, label in enumerate(labels)])
    guard = Guard(
        engine=FakeEngine(
            {f"{label}!": label for label in ("supported", "contradicted", "unsupported", "unverified")[::-1]}
        )
    )
    found = {a: check_item(guard, raw, a, needs_claims=True).item["Y"] for a in Aggregator}
    assert (found[Aggregator.STRICT], found[Aggregator.MAJOR]) == (strict, major)
    soft = found[Aggregator.SOFT]
    assert list(soft) == ["Entailment", "Neutral", "Contradiction", "Unverified", "Abstain"]
    assert sum(soft.values()) == pytest.approx(1.0)
    assert soft["Unverified"] == pytest.approx(labels.count("unverified") / max(1, len(labels)))
    assert soft["Abstain"] == (not labels)


def test_three_references_give_a_matrix(refchecker):
    """One label per claim after all references, and one per claim and reference."""
    references = [DAM, "Tom Reed designed Larkmoor Dam.", "Honey bees dance."]
    claims = [DAM, ["Tom Reed", "designed", "Larkmoor Dam"], ["Rita Halloway", "died in", "1901"]]
    code, [out], _ = refchecker(
        "check", [item(reference=references, claims=claims)], "--claims", "--aggregator", "strict"
    )
    assert code == 1
    assert out["ys"] == ["Entailment", "Entailment", "Neutral"]
    assert out["ys_by_reference"] == [
        ["Entailment", "Neutral", "Neutral"],
        ["Neutral", "Entailment", "Neutral"],
        ["Neutral", "Neutral", "Neutral"],
    ]
    assert (out["Y"], out["evidence"][1][0]["reference"]) == ("Neutral", 1)


def test_an_outage_is_unverified_everywhere():
    """In each claim, by reference and as a whole."""
    guard = Guard(engine=FakeEngine(default=EngineError("down")))
    raw = item(reference=["a", "b"], claims=TRIPLETS)
    out = check_item(guard, raw, Aggregator.STRICT, needs_claims=True).item
    assert (out["Y"], out["ys"]) == ("Unverified", ["Unverified"] * 2)
    assert out["ys_by_reference"] == [["Unverified"] * 2] * 2
    assert all("down" in reason for reason in out["reasons"])


@pytest.mark.parametrize("reference", ["", " ", []])
def test_an_empty_reference_is_unverified(reference):
    """Nothing was there to judge by."""
    out = check_item(Guard(engine=FakeEngine()), item(reference=reference), Aggregator.MAJOR, needs_claims=False).item
    assert (out["Y"], set(out["ys"])) == ("Unverified", {"Unverified"})


def test_an_answer_that_declines_abstains(refchecker):
    """No claims: exit code 0."""
    code, out, _ = refchecker(
        "check", [item(response="I'm sorry, I can't answer that."), item(response="")], "--aggregator", "major"
    )
    assert (code, [o["Y"] for o in out], [o["ys"] for o in out]) == (0, ["Abstain"] * 2, [[], []])


def test_code_alone_is_no_abstention(refchecker):
    """Something was left unread."""
    _, [out], _ = refchecker("check", [item(response="```python\nprint(1)\n```")], "--aggregator", "strict")
    assert (out["Y"], out["ys"]) == ("Unverified", [])


def test_code_alone_is_no_abstention_in_two_steps_either(refchecker):
    """``extract`` finds no claims in it."""
    _, items, _ = refchecker("extract", [item(response="```python\nprint(1)\n```")])
    _, [out], _ = refchecker("check", items, "--claims", "--aggregator", "strict")
    assert (items[0]["claims"], out["Y"]) == ([], "Unverified")


def test_claims_of_an_earlier_run_are_not_checked_in_place_of_those_of_this_one():
    """Else what they leave out would count as entailed."""
    stale = item(claims=[DAM], error="of before")
    found = extract_item(Guard(engine=Triplets()), stale).item
    assert "claims" not in found
    assert "error" not in found
    assert found["triplets"]
    assert "triplets" not in extract_item(Guard(engine=FakeEngine()), found).item
    assert "error" not in check_item(Guard(engine=FakeEngine()), stale, Aggregator.SOFT, needs_claims=True).item


def test_an_empty_list_of_claims_beside_triplets_is_no_abstention():
    """What has any counts."""
    assert read_item(item(claims=[], triplets=[["a", "b", "c"]])).claims == (["a", "b", "c"],)
    assert read_item(item(claims=[], triplets=[])).claims == ()
    assert read_item(item(claims=[])).claims == ()


def test_chinese_and_quotes_inside(refchecker):
    """Quotes of both kinds, lone brackets, and characters beyond the basic plane."""
    response = '长城始建于春秋战国时期。它又称"万里长城"𠮷。'
    claims = [["长城", "始建于", "春秋战国时期"], ["它", "又称", '"万里长城"𠮷'], ["it's", 'a "[', "x\ud800"]]  # fmt: skip
    code, [out], _ = refchecker(
        "check", [json.loads(json.dumps(item(response=response, reference=response, claims=claims[:2])))]
    )
    assert (code, out["ys"], out["claims"]) == (0, ["Entailment", "Entailment"], claims[:2])
    done = check_item(Guard(engine=FakeEngine()), item(claims=claims), Aggregator.SOFT, needs_claims=True)
    assert done.item["ys"] == ["Entailment"] * 3


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


def test_check_claims_wants_claims(refchecker):
    """As their ``check`` does."""
    code, [out], err = refchecker("check", [item()], "--claims")
    assert (code, "guardrail extract" in out["error"], err.startswith("item 1: ")) == (2, True, True)


def test_strict_stops_and_leaves_a_whole_list(refchecker, tmp_path, command):
    """What was done is valid JSON."""
    path, out = tmp_path / "three.json", tmp_path / "out.json"
    path.write_text(json.dumps([item(), {}, item()]), encoding="utf-8")
    code, _, err = command("check", path, "--format", "refchecker", "--strict", "--out", out)
    assert (code, "item 2" in err) == (2, True)
    assert len(json.loads(out.read_text(encoding="utf-8"))) == 2


@pytest.mark.parametrize("raw", ["", "{", "3", '"x"', "[" * 100_000, "[1,]"])
def test_files_that_are_no_list_of_items(raw):
    """One message, no traceback."""
    with pytest.raises(UsageError, match=r"'f\.json' (is not valid JSON|must hold a JSON list)"):
        read_items(raw, "'f.json'")


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


def test_extract_adds_claims_and_check_reads_them(tmp_path, command):
    """Their two steps, over a file."""
    first, second = tmp_path / "in.json", tmp_path / "mid.json"
    first.write_text(json.dumps([item(), item(response="I do not know.")]), encoding="utf-8")
    assert command("extract", first, "--format", "refchecker", "--out", second)[0] == 0
    taken = json.loads(second.read_text(encoding="utf-8"))
    assert [len(t["claims"]) for t in taken] == [3, 0]
    code, out, _ = command("check", second, "--claims", "--format", "refchecker", "--aggregator", "strict")
    assert (code, [o["Y"] for o in json.loads(out)]) == (1, ["Neutral", "Abstain"])


@dataclass(frozen=True)
class Triplets:
    """Makes a triplet of each sentence."""

    name: str = "triplets"

    def decompose(self, request):
        return Draft(
            parts=replace(
                request.parts,
                segments=tuple(
                    replace(
                        s, claims=(Claim(id=f"{s.id}.1", text=s.text, triplet=(s.id, "says", "much"), span=s.span),)
                    )
                    for s in request.parts.segments
                ),
            )
        )

    def verify(self, request):
        return FakeEngine().verify(request)


def test_extract_writes_triplets_where_the_engine_makes_them():
    """Under the key that RefChecker v0.1 reads."""
    out = extract_item(Guard(engine=Triplets()), {"response": HIGH, "k": 1}).item
    assert (list(out), out["triplets"][0], out["spans"][0]) == (
        ["response", "k", "triplets", "spans"],
        ["s1", "says", "much"],
        [0, len(HIGH)],
    )


def test_a_failing_engine_says_so_in_the_item():
    """The rules took the response apart."""

    class Broken(Triplets):
        def decompose(self, request):
            raise EngineError("no model")

    out = extract_item(Guard(engine=Broken()), {"response": HIGH}).item
    assert (out["claims"], "no model" in out["reason"]) == ([HIGH], True)


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


def test_read_item_leaves_the_raw_item_alone():
    """No key is added or changed in it."""
    raw = item(claims=[[["a", "b", "c"]]])
    before = json.dumps(raw)
    assert read_item(raw).claims == (["a", "b", "c"],)
    check_item(Guard(engine=FakeEngine()), raw, Aggregator.SOFT, needs_claims=False)
    assert json.dumps(raw) == before
