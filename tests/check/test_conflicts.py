"""Passages that disagree: found, quoted from both sides, acted on and shown."""

from __future__ import annotations

from io import StringIO

import pytest

from guardrail import Action, Guard, Passage, Policy, Verdict
from guardrail.check.conflicts import sides, with_conflict
from guardrail.check.judge import unjudged
from guardrail.cli.show import show
from guardrail.repair.feedback import Feedback
from guardrail.types import Cause, Cell, Entity, EntityGroup, LogicVerdict, Row, Segment, Span, SupportMatrix
from tests.support.verified import judge

ANSWER = "The dam is 64 metres high."
SOURCES = [
    Passage(id="survey", text="The Larkmoor Dam is 64 metres high. Bees live there."),
    Passage(id="leaflet", text="Welcome! The Larkmoor Dam is 46 metres high."),
]
SAYS = (
    "The sources disagree: survey says “The Larkmoor Dam is 64 metres high.”, "
    "leaflet says “The Larkmoor Dam is 46 metres high.”."
)
YES, NO = Cell(supported=0.95, contradicted=0.0), Cell(supported=0.1, contradicted=0.95)


class Torn:
    """An engine that reads one passage as support and the next as a contradiction, without quoting."""

    name = "torn"

    def verify(self, request):
        cells = (YES, NO, *(None,) * (len(request.passages) - 2))
        return SupportMatrix(
            rows=tuple(
                Row(segment_id=s.id, cells=cells, supported=0.9, evidence=((0, Span(0, 35)),)) for s in request.segments
            )
        )


@pytest.fixture(scope="module")
def local():
    return Guard(policy=Policy.strict())


def test_the_local_engine_tells_both_sides(local):
    """Verdict and score stay, the evidence holds both stretches, verbatim."""
    guarded = local.run(ANSWER, SOURCES)
    [finding] = guarded.report.findings
    alone = local.check(ANSWER, SOURCES[:1])
    assert (finding.verdict, finding.conflict, finding.reason) == (Verdict.SUPPORTED, True, SAYS)
    assert finding.score == guarded.report.score > 0.9
    assert not alone.findings[0].conflict
    assert [(e.passage_id, e.quote) for e in finding.evidence] == [
        ("survey", "The Larkmoor Dam is 64 metres high."),
        ("leaflet", "The Larkmoor Dam is 46 metres high."),
    ]
    texts = {p.id: p.text for p in SOURCES}
    assert all(e.span.of(texts[e.passage_id]) == e.quote for e in finding.evidence)


def test_a_note_says_that_the_sources_disagree(local):
    """Once, with both quotes; all presets that write notes write this one."""
    for policy in (Policy.strict(), Policy.repair(), Policy.annotate()):
        guarded = local.run(ANSWER, SOURCES, policy=policy)
        assert guarded.action is Action.ANNOTATE
        assert guarded.text == f"{ANSWER}[^g1]\n\n[^g1]: {SAYS}"
    plain = local.run(ANSWER, SOURCES, policy=Policy.strict().with_(style="plain"))
    assert plain.text == f"{ANSWER} [!1]\n\n[!1] {SAYS}"


def test_the_report_for_people_and_the_generator_are_told(local):
    guarded = local.run(ANSWER, SOURCES)
    shown = StringIO()
    show(guarded, shown)
    assert "The sources disagree: survey says" in " ".join(shown.getvalue().split())
    feedback = Feedback(answer=ANSWER, question=None, report=guarded.report, decision=guarded.decision, attempt=2).text
    assert f"- “{ANSWER}”: the passages disagree about this. {SAYS}" in feedback
    assert "  They say: “The Larkmoor Dam is 46 metres high.”" in feedback


def test_chinese_is_told_in_chinese():
    guarded = Guard(policy=Policy.strict(), engine=Torn()).run(
        "大坝高64米。", [Passage(id="a", text="大坝高64米。" + "水" * 200), Passage(id="b", text="大坝高46米。")]
    )
    [finding] = guarded.report.findings
    assert finding.reason == f"资料之间不一致：a称“大坝高64米。{'水' * 28}”，b称“大坝高46米。”。"
    assert guarded.text == f"大坝高64米。[^g1]\n\n[^g1]: {finding.reason}"


def test_quotes_are_cut_and_stay_on_one_line():
    """An engine that names no stretch is taken to mean the passage; the evidence keeps all of it."""
    long = "The dam\nis 46 metres high. " * 20
    [finding] = Guard(engine=Torn()).check(ANSWER, ["The Larkmoor Dam is 64 metres high.", long]).findings
    quote = finding.reason.split("2 says “")[1].removesuffix("”.")
    assert len(quote) <= 120
    assert quote.endswith("…")
    assert "\n" not in finding.reason
    assert finding.evidence[1].quote == long


PASSAGES = tuple(Passage(id=f"p{n}", text=f"Text {n}. More.") for n in range(3))
SEGMENT = Segment(id="s0", span=Span(0, 1), text="x")


def judged(row, **kwargs):
    settings = {"logic": {}, "groups": (), "entities": ()} | kwargs
    [found] = judge(
        [SEGMENT], {"s0": row}, settings["logic"], settings["groups"], {}, "x", PASSAGES, 0.5, settings["entities"]
    )
    return found


def test_evidence_of_a_cell_goes_before_the_whole_passage():
    """What is quoted already is not quoted twice."""
    no = Cell(supported=0.1, contradicted=0.95, evidence=(Span(0, 7),))
    found = judged(Row(segment_id="s0", cells=(YES, no, None), supported=0.9, evidence=((1, Span(0, 7)),)))
    assert [(e.passage_id, e.quote) for e in found.evidence] == [("p1", "Text 1."), ("p0", "Text 0. More.")]


def test_the_clearest_passage_of_each_side_is_named():
    sure = Cell(supported=0.99, contradicted=0.0)
    assert sides(Row(segment_id="s0", cells=(YES, NO, sure))) == (2, 1)
    assert sides(Row(segment_id="s0", cells=(YES, NO, YES))) == (0, 1)
    assert sides(Row(segment_id="s0", cells=(YES, None, YES))) is None


def test_a_passage_about_a_namesake_is_no_disagreement():
    """What is said of another individual of that name says nothing against this one."""
    row = Row(segment_id="s0", cells=(YES, NO, None), supported=0.9)
    one = Entity(id="e1", name="X", title="X (swimmer)", passages=(0,), shares_name=True)
    other = Entity(id="e2", name="X", title="X (coach)", passages=(1,), shares_name=True)
    third = Entity(id="e3", name="Y", title="Y", passages=(1,))
    group = EntityGroup(id="g1", name="X", segments=("s0",), entity=one)
    assert not judged(row, groups=(group,), entities=(one, other)).conflict
    assert judged(row, groups=(group,), entities=(one, third)).conflict
    assert judged(row, groups=(), entities=(one, other)).conflict


def test_another_reason_stays():
    """A relation that the passages do not license is told behind the disagreement."""
    row = Row(segment_id="s0", cells=(YES, NO, None), supported=0.95)
    logic = LogicVerdict(segment_id="s0", consistent=False, reason="No such cause.", decisive=True)
    found = judged(row, logic={"s0": logic})
    assert found.verdict is Verdict.UNSUPPORTED
    assert found.reason.startswith("The sources disagree: p0 says “Text 0. More.”")
    assert found.reason.endswith(" No such cause.")


def test_what_nobody_judged_is_no_disagreement():
    row = Row(segment_id="s0", cells=(YES, NO, None), unverified="the deadline passed")
    found = judged(row)
    assert (found.conflict, found.reason, found.evidence) == (False, "the deadline passed", ())
    assert with_conflict(unjudged(SEGMENT, "x", "why", Cause.TIMEOUT), row, PASSAGES, (), "en").reason == "why"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("The documents do not say who designed the gate.", "The answer declines and claims nothing."),
        ("Sure! I am happy to help.", "The answer claims nothing that could be checked."),
    ],
)
def test_an_abstained_report_says_why(answer, reason):
    report = Guard(engine=Torn()).check(answer, SOURCES)
    assert (report.verdict, report.reason, report.findings) == (Verdict.ABSTAINED, reason, ())


def test_sources_are_named_by_title_and_told_apart_by_number_where_titles_are_the_same(local):
    ids = ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "9a7b330a-a736-21e5-a2f7-0305e82c3302")
    titled = [Passage(id=ident, title=title, text=s.text) for ident, title, s in zip(ids, "AB", SOURCES, strict=True)]
    assert "disagree: A says" in local.check(ANSWER, titled).findings[0].reason
    same = [Passage(id=p.id, title="Guide", text=p.text) for p in titled]
    [finding] = local.check(ANSWER, same).findings
    assert "Guide [1] says" in finding.reason
    assert "Guide [2] says" in finding.reason


def test_a_new_answer_that_is_borne_out_may_replace_one_that_abstains():
    """Its score of 1.0 stands for claiming nothing; one that is not borne out may not."""
    policy = Policy(actions={"abstained": "regenerate", "unsupported": "flag"}, on_exhausted="annotate")
    for supported, delivered in ((0.9, ANSWER), (0.2, "I do not know.")):
        guard = Guard(policy=policy, engine=Fixed(supported))
        guarded = guard.run("I do not know.", SOURCES, regenerate=lambda feedback: ANSWER)
        assert guarded.text.startswith(delivered)
        assert guarded.exhausted is (delivered != ANSWER)
        assert guarded.attempts == 2


class Fixed:
    name = "fixed"

    def __init__(self, supported):
        self.supported = supported

    def verify(self, request):
        rows = [
            Row(segment_id=s.id, cells=(None,) * len(request.passages), supported=self.supported)
            for s in request.segments
        ]
        return SupportMatrix(rows=tuple(rows))
