"""Citation marks: inserted, corrected, removed, from the evidence of the findings."""

from __future__ import annotations

import json
import re
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail import Guard, Passage, Policy, UsageError
from guardrail.repair.citations import cite
from guardrail.testing import FakeEngine
from guardrail.types import Evidence, Finding, Report, Span, Verdict

CASE = json.loads(resources.files("guardrail.evaluation.data").joinpath("demo_case.json").read_text(encoding="utf-8"))
DOCUMENTS = [Passage(**each) for each in CASE["documents"]]
HOURS = Passage(id="a", text="The walkway is open from 9:00 to 17:00.")
PRICE = Passage(id="b", text="A ticket costs 8 euros.")
DOGS = Passage(id="c", text="Dogs are allowed only on a lead.")
PASSAGES = (HOURS, PRICE, DOGS)


def report_of(answer, *found):
    """Findings given as (text, verdict, passages of its evidence)."""
    findings = []
    for number, (text, verdict, sources) in enumerate(found, 1):
        start = answer.index(text)
        claim = re.sub(r"\s*\[\d+\]", "", text)
        evidence = tuple(Evidence(passage_id=p.id, span=Span(0, len(p.text)), quote=p.text) for p in sources)
        findings.append(
            Finding(
                id=f"s{number}", text=text, span=Span(start, start + len(text)), claim=claim, verdict=verdict,
                score=0.5, evidence=evidence,
            )
        )  # fmt: skip
    return Report(verdict=Verdict.SUPPORTED, score=0.5, answer=answer, passages=PASSAGES, findings=tuple(findings))


YES, NO, OPEN = Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.UNVERIFIED

CASES = {
    "inserted": ("The walkway is open from 9:00.", YES, [HOURS], "The walkway is open from 9:00 [1]."),
    "kept": ("The walkway is open from 9:00 [1].", YES, [HOURS], "The walkway is open from 9:00 [1]."),
    "kept behind the stop": ("A ticket costs 8 euros.[2]", YES, [PRICE], "A ticket costs 8 euros.[2]"),
    "a lesser source is kept": (
        "The walkway is open for dogs.[1][3]",
        YES,
        [HOURS, DOGS],
        "The walkway is open for dogs.[1][3]",
    ),
    "replaced": ("A ticket costs 8 euros [3].", YES, [PRICE], "A ticket costs 8 euros [2]."),
    "one of two is wrong": ("A ticket costs 8 euros [2][3].", YES, [PRICE], "A ticket costs 8 euros [2]."),
    "no such passage": ("A ticket costs 8 euros [9].", YES, [PRICE], "A ticket costs 8 euros [2]."),
    "two passages": (
        "Dogs are allowed and a ticket costs 8 euros.",
        YES,
        [PRICE, DOGS],
        "Dogs are allowed and a ticket costs 8 euros [2][3].",
    ),
    "a passage that adds nothing": ("A ticket costs 8 euros.", YES, [PRICE, DOGS], "A ticket costs 8 euros [2]."),
    "unsupported": ("A ticket costs 9 euros [2].", NO, [PRICE], "A ticket costs 9 euros."),
    "contradicted": ("A ticket costs 9 euros.[2]", Verdict.CONTRADICTED, [PRICE], "A ticket costs 9 euros."),
    "unverified": ("A ticket costs 9 euros [2].", OPEN, [PRICE], "A ticket costs 9 euros [2]."),
    "no evidence": ("A ticket costs 8 euros [3].", YES, [], "A ticket costs 8 euros [3]."),
    "bold": ("**A ticket costs 8 euros.**", YES, [PRICE], "**A ticket costs 8 euros [2].**"),
    "table row": ("| ticket costs | 8 euros |", YES, [PRICE], "| ticket costs | 8 euros [2] |"),
    "code": ("A ticket costs `x[1]` 8 euros.", YES, [PRICE], "A ticket costs `x[1]` 8 euros [2]."),
    "no stop": ("A ticket costs 8 euros", YES, [PRICE], "A ticket costs 8 euros [2]"),
}


@pytest.mark.parametrize(("answer", "verdict", "sources", "cited"), CASES.values(), ids=CASES)
def test_marks_follow_the_evidence(answer, verdict, sources, cited):
    assert cite(report_of(answer, (answer, verdict, sources))) == cited


def test_chinese_marks_stand_before_the_stop_without_a_space():
    price = Passage(id="z", text="门票8欧元。")
    answer = "门票8欧元。"
    report = Report(
        verdict=YES, score=0.9, answer=answer, passages=(price,),
        findings=(Finding(id="s1", text=answer, span=Span(0, 6), claim=answer, verdict=YES, score=0.9,
                          evidence=(Evidence(passage_id="z", span=Span(0, 6), quote=price.text),)),),
    )  # fmt: skip
    assert cite(report) == "门票8欧元[1]。"


def test_the_rest_of_the_answer_is_untouched():
    answer = (
        "# Prices [draft]\n\nA ticket costs 8 euros. Nobody paid [3].\n\n```\nx[1] = [2]\n```\n\n[1] Brochure, 2021\n"
    )
    report = report_of(answer, ("A ticket costs 8 euros.", YES, [PRICE]), ("Nobody paid [3].", NO, []))
    assert cite(report) == answer.replace("euros.", "euros [2].").replace("paid [3].", "paid.")


@pytest.mark.parametrize(
    ("style", "mark"), [("[^{n}]", "[^2]"), ("({n})", "(2)"), ("<sup>{n}</sup>", "<sup>2</sup>"), ("【{n}】", "【2】")]
)
def test_the_style_is_the_callers(style, mark):
    answer = "A ticket costs 8 euros."
    assert cite(report_of(answer, (answer, YES, [PRICE])), style) == f"A ticket costs 8 euros {mark}."


@pytest.mark.parametrize("style", ["", "[n]", "[{}]", "[{id}]", "[{n", None, 3, "{n.real.__class__}{m}"])
def test_a_style_that_names_no_passage_is_refused(style):
    with pytest.raises(UsageError, match="style must hold"):
        cite(report_of("x"), style)


def test_a_number_that_is_another_passages_id_is_not_used():
    """With the ids "2" and "1" a "[1]" means the second passage, as it does for the check."""
    passages = [Passage(id="2", text=HOURS.text), Passage(id="1", text=PRICE.text)]
    guard = Guard(policy=Policy.monitor())
    cited = cite(guard.check("A ticket costs 8 euros.", passages))
    assert cited == "A ticket costs 8 euros [1]."
    assert guard.check(cited, passages).scores.citation_precision == 1.0


def test_findings_on_claims_that_overlap_give_one_set_of_marks():
    guard = Guard(policy=Policy.monitor(), engine=FakeEngine({}))
    claims = ["A ticket costs 8 euros", "A ticket costs something"]
    cited = cite(guard.check("A ticket costs 8 euros.", [PRICE], claims=claims))
    assert cited.count("[1]") == 1


@pytest.mark.parametrize("case", CASE["questions"])
def test_the_real_engine_finds_its_own_marks_right(case):
    """Marks of supported segments raise recall to what is supported, and a second run changes nothing."""
    guard = Guard()
    cited = cite(guard.check(case["answer"], DOCUMENTS, question=case["question"]))
    again = guard.check(cited, DOCUMENTS, question=case["question"])
    assert re.sub(r" \[\d\]", "", cited) == case["answer"]
    assert cite(again) == cited
    supported = [f for f in again.findings if f.verdict is YES]
    assert all(re.search(r"\[\d\]", f.text) for f in supported)
    if supported:
        assert again.scores.citation_precision == 1.0


def test_a_sentence_end_inside_code_gets_no_mark():
    answer = "A ticket costs 8 euros`a[1]`. `a[1]`A ticket costs 8 euros"
    report = Guard(policy=Policy.monitor(), engine=FakeEngine({})).check(answer, PASSAGES)
    assert cite(report).count("`a[1]`") == 2


@given(
    st.lists(
        st.sampled_from(["A ticket costs 8 euros", "Dogs [2]", "`a[1]`", "| x | y |", ". ", "\n", "門票。", "[1]"])
    )
)
def test_only_marks_change(parts):
    answer = "".join(parts)
    report = Guard(policy=Policy.monitor(), engine=FakeEngine({"Dogs": "unsupported"})).check(answer, PASSAGES)
    bare = re.compile(r"\s*\[\d\]|\s+")
    assert bare.sub("", cite(report)) == bare.sub("", answer)
    assert cite(report).count("`a[1]`") == answer.count("`a[1]`")
