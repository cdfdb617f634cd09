"""``guardrail check`` on RefChecker's items."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from guardrail import EngineError, Guard
from guardrail.cli.check import check_item
from guardrail.cli.main import app
from guardrail.evaluation.data.refchecker import Aggregator
from guardrail.testing import FakeEngine
from tests.support.refchecker_items import DAM, HIGH, REFERENCE, WRONG, item


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


def test_check_claims_wants_claims(refchecker):
    """As their ``check`` does."""
    code, [out], err = refchecker("check", [item()], "--claims")
    assert (code, "guardrail extract" in out["error"], err.startswith("item 1: ")) == (2, True, True)


@pytest.mark.parametrize("option", ["--batch-poll", "--batch-state"])
def test_options_of_batches_without_batches_are_refused(option):
    done = CliRunner().invoke(app, ["check", "--engine", "llm", "--model", "m", option, "5"])
    assert done.exit_code != 0
    assert f"{option} applies to --batch" in " ".join(f"{done.output} {done.exception}".split())
