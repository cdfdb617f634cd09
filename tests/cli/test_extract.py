"""``guardrail extract`` and ``guardrail check --claims`` and ``--retriever``, on JSON lines."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, replace

import pytest

from guardrail import EngineError, Guard
from guardrail.check.contract import Draft
from guardrail.cli.check import check_item
from guardrail.cli.extract import extract_item
from guardrail.cli.main import main
from guardrail.evaluation.data.refchecker import Aggregator
from guardrail.testing import FakeEngine
from guardrail.types import Claim
from tests.support.refchecker_items import DAM, HIGH, item

ANSWER = "Hello! Larkmoor Dam is 64 metres high. It was built by Tom Reed."
RECORD = {"id": "a", "question": "How high?", "answer": ANSWER, "passages": ["Larkmoor Dam is 64 metres high."]}
CHINESE = {
    "id": 7,
    "answer": "长城始建于春秋战国时期。明长城全长8851.8公里。",
    "passages": ["长城始建于春秋战国时期。"],
}


def lines(*records):
    return "".join((r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) + "\n" for r in records)


@pytest.fixture
def command(monkeypatch, capsys):
    """Run ``guardrail`` in this process: exit code, JSON lines, stderr."""

    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["guardrail", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        with pytest.raises(SystemExit) as exit_:
            main()
        out, err = capsys.readouterr()
        return exit_.value.code, [json.loads(line) for line in out.splitlines()], err

    return run


def test_claims_with_ids_texts_and_spans(command):
    """What came in goes through, so that it can be checked; skipped pieces have no claims."""
    code, [out], err = command("extract", stdin=lines(RECORD))
    assert (code, err) == (0, "")
    assert {key: out[key] for key in RECORD} == RECORD
    assert [(c["id"], c["text"], c["triplet"]) for c in out["claims"]] == [
        ("s2.1", "Larkmoor Dam is 64 metres high.", None),
        ("s3.1", "Larkmoor Dam was built by Tom Reed.", None),
    ]
    assert [ANSWER[slice(*c["span"])] for c in out["claims"]] == [
        "Larkmoor Dam is 64 metres high.",
        "It was built by Tom Reed.",
    ]


def test_answers_need_no_passages(command):
    """And come out without."""
    code, [out], _ = command("extract", stdin=lines({"answer": "The dam is high."}))
    assert (code, list(out)) == (0, ["id", "answer", "claims"])


def test_chinese_order_and_ids_from_a_file(tmp_path, command):
    """A JSON list, too."""
    path = tmp_path / "in.json"
    path.write_text(json.dumps([CHINESE, RECORD]), encoding="utf-8")
    code, out, _ = command("extract", path, "--quiet")
    assert (code, [o["id"] for o in out]) == (0, [7, "a"])
    assert [c["text"] for c in out[0]["claims"]] == ["长城始建于春秋战国时期。", "明长城全长8851.8公里。"]


BAD = {"json": "{", "list": "[1]", "answer": '{"anwser": "x"}', "null": '{"answer": null}', "type": '{"answer": 3}'}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_line_keeps_its_place(command, bad):
    """Exit code 2; with --strict what came before is written."""
    code, out, err = command("extract", stdin=lines(RECORD, bad, RECORD))
    assert (code, [("claims" in o) for o in out], err.startswith("line 2: ")) == (2, [True, False, True], True)
    code, out, err = command("extract", "--strict", stdin=lines(RECORD, bad, RECORD))
    assert (code, len(out), "Stopped" in err) == (2, 2, True)


def test_empty_input_is_no_error(command):
    """Nothing in, nothing out."""
    assert command("extract", stdin="\n") == (0, [], "no records in the input\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.jsonl"], "cannot read 'nowhere.jsonl'"),
        (["-", "--engine", "lokal"], "lokal"),
        (["-", "--format", "xml"], "format"),
        (["-", "--out", "no/such/folder/x"], "cannot write"),
    ],
)
def test_wrong_usage(command, arguments, message):
    """Exit code 2, one message, no traceback."""
    code, out, err = command("extract", *arguments)
    assert (code, out, message in err, "Traceback" in err) == (2, [], True, False)


def test_extract_then_check_claims(tmp_path, command):
    """The two halves of RefChecker."""
    path = tmp_path / "claims.jsonl"
    assert command("extract", "-", "--out", path, stdin=lines(RECORD, CHINESE))[0] == 0
    code, out, _ = command("check", path, "--claims")
    assert code == 1
    assert [[c["verdict"] for c in o["claims"]] for o in out] == [
        ["supported", "unsupported"],
        ["supported", "unsupported"],
    ]
    assert [f["claim"] for f in out[0]["findings"]] == [
        "Larkmoor Dam is 64 metres high.",
        "Larkmoor Dam was built by Tom Reed.",
    ]
    assert out[0]["findings"][1]["text"] == "It was built by Tom Reed."


def test_check_claims_reads_texts_and_triplets(command):
    """None at all: the answer abstains. Without --claims the key means nothing."""
    claims = [
        "Larkmoor Dam is 64 metres high.",
        ["Larkmoor Dam", "is", "64 metres high"],
        {"triplet": ["Tom", "built", "it"]},
    ]
    given = lines(RECORD | {"claims": claims}, RECORD | {"claims": []})
    code, out, _ = command("check", "--claims", stdin=given)
    assert (code, [o["verdict"] for o in out], len(out[0]["findings"])) == (1, ["unsupported", "abstained"], 3)
    assert command("check", stdin=lines(RECORD | {"claims": "odd"}))[0] == 1


def test_check_claims_wants_claims(command):
    """A record without says so in its place."""
    code, [out], _ = command("check", "--claims", stdin=lines(RECORD))
    assert (code, out["id"], out["error"].startswith("has no 'claims'")) == (2, "a", True)


@pytest.fixture
def documents(tmp_path):
    """A folder of two documents."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "dam.md").write_text("# Larkmoor Dam\n\nLarkmoor Dam is 64 metres high.\n", encoding="utf-8")
    (folder / "长城.txt").write_text("长城始建于春秋战国时期。", encoding="utf-8")
    return folder


def test_passages_are_looked_up_where_there_are_none(command, documents):
    """Missing, null or empty; given ones are used as they are. The report holds what was found."""
    answer = {"answer": "Larkmoor Dam is 64 metres high."}
    records = [answer, answer | {"passages": None}, answer | {"passages": []}, answer | {"passages": ["Bees dance."]}]
    code, out, _ = command("check", "--retriever", documents, stdin=lines(*records, CHINESE | {"passages": []}))
    assert code == 1
    assert [o["verdict"] for o in out] == ["supported"] * 3 + ["unsupported", "unsupported"]
    assert [p["id"] for p in out[0]["passages"]] == ["dam.md#1"]
    assert "passages" not in out[3]
    assert out[4]["passages"] == [{"id": "长城.txt#1", "title": "长城", "text": "长城始建于春秋战国时期。"}]


def test_references_are_looked_up_for_refchecker(command, documents):
    """And written into the item, as RefChecker does."""
    raw = json.dumps([{"response": "Larkmoor Dam is 64 metres high."}])
    code, _, err = command(
        "check", "--format", "refchecker", "--retriever", documents, "--out", documents / "o.json", stdin=raw
    )
    assert (code, err) == (0, "")
    [out] = json.loads((documents / "o.json").read_text(encoding="utf-8"))
    assert (out["ys"], out["reference"]) == (["Entailment"], ["# Larkmoor Dam\n\nLarkmoor Dam is 64 metres high."])


def test_a_retriever_without_documents_is_wrong_usage(command, tmp_path):
    """Before any work."""
    for folder in (tmp_path / "none", tmp_path):
        code, out, err = command("check", "--retriever", folder, stdin=lines(RECORD))
        assert (code, out, "folder" in err) == (2, [], True)


def test_claims_of_an_earlier_run_are_not_checked_in_place_of_those_of_this_one():
    """Else what they leave out would count as entailed."""
    stale = item(claims=[DAM], error="of before")
    found = extract_item(Guard(engine=Triplets()), stale).item
    assert "claims" not in found
    assert "error" not in found
    assert found["triplets"]
    assert "triplets" not in extract_item(Guard(engine=FakeEngine()), found).item
    assert "error" not in check_item(Guard(engine=FakeEngine()), stale, Aggregator.SOFT, needs_claims=True).item


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
