"""What holds for every answer, every script of verdicts and every preset."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from guardrail import Action, Guard, Passage, Policy, Verdict
from guardrail.check.decompose import decompose
from guardrail.repair.edits import BLOCKED, NOT_VERIFIED, language_of
from guardrail.testing import FakeEngine
from guardrail.types.report_json import result_record

SENTENCES = (
    "The dam is 64 metres high.",
    "Rita Halloway built it, because the town needed water.",
    "It was opened in 1963 [1].",
    "However, the mayor [2][3] never came.",
    "大坝于1963年启用。",
    "Therefore, all visitors must pay 8 euros.",
    "Is that so?",
    "Sure, here is the answer:",
    "**Note:** dogs are *not* allowed on the walkway [p2].",
    "The documents do not say who designed the gate.",
    "| Gate | 1974 |",
    "Café “Zur Brücke” 😀 sells 3.5 litres at $4.20, i.e. more than e.g. Dr. Weir does.",
    "x\u0301\u200b\ud800 \x00 y",
)
JOINTS = (" ", "\n", "\n\n", "\n- ", "\n1. ", "\n## ", "  ", "", "\n> ", "\r\n")
VERDICTS = ("supported", "contradicted", "unsupported", "unverified")
PRESETS = (Policy.monitor(), Policy.annotate(), Policy.repair(), Policy.strict(), Policy(), Policy(fail="open"))
PASSAGES = (Passage(id="1", text="The dam is 64 metres high."), Passage(id="p2", text="Dogs are not allowed."))

pieces = st.tuples(st.sampled_from(JOINTS), st.one_of(st.sampled_from(SENTENCES), st.text(max_size=40)))
answers = st.lists(pieces, max_size=8).map(lambda parts: "".join(joint + text for joint, text in parts))
scripts = st.fixed_dictionaries({}, optional={text[:12]: st.sampled_from(VERDICTS) for text in SENTENCES})
policies = st.sampled_from(PRESETS)


def run(answer, script, policy, passages=PASSAGES):
    return Guard(policy=policy, engine=FakeEngine(script)).run(answer, passages)


@given(answers, scripts)
def test_every_checked_segment_gets_exactly_one_finding_that_quotes_the_answer(answer, script):
    """In order, without overlap, never 'the guard failed', and with a cause where it is UNVERIFIED, only there."""
    report = run(answer, script, Policy.monitor()).report
    parts = decompose(answer, passage_ids=[p.id for p in PASSAGES])
    assert [f.id for f in report.findings] == [s.id for s in parts.checked]
    assert [s.id for s in report.skipped] == [s.id for s in parts.segments if s.skipped]
    assert not report.reason.startswith("the guard failed")
    end = 0
    for finding in report.findings:
        assert answer[finding.span.start : finding.span.end] == finding.text
        assert end <= finding.span.start < finding.span.end
        end = finding.span.end
        for evidence in finding.evidence:
            source = next(p for p in report.passages if p.id == evidence.passage_id)
            assert evidence.span.of(source.text) == evidence.quote
        assert (finding.cause is not None) == (finding.verdict is Verdict.UNVERIFIED)
        if finding.focus is not None:
            assert finding.span.start <= finding.focus.start < finding.focus.end <= finding.span.end


_MARKERS = (
    r"(?m)^[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]+)?(?:[-*+•]|\(?\w{1,3}[.)、）]|[①-⑳])?[ \t]*(?:\[[ xX]\][ \t]*)?[*_]*"
)


def _without_layout(text):
    """Without white space and list markers, which redaction may take along."""
    return re.sub(r"\s+", "", re.sub(_MARKERS, "", text))


def _subsequence(small, large):
    letters = iter(large)
    return all(letter in letters for letter in small)


@given(answers, scripts)
def test_redaction_touches_only_the_flagged_spans(answer, script):
    """Everything else survives in order, and nothing is added but whom a pronoun means."""
    redact = Policy(actions=dict.fromkeys(("contradicted", "unsupported", "unverified"), "redact"))
    guarded = run(answer, script, redact)
    if guarded.action is not Action.REDACT:  # all of it is borne out, or nothing is
        messages = (BLOCKED[language_of(answer)], NOT_VERIFIED[language_of(answer)])
        assert guarded.text == answer if guarded.action is Action.ALLOW else guarded.text in messages
        return
    kept, end = [], 0
    for finding in guarded.report.findings:
        if finding.verdict is not Verdict.SUPPORTED:
            kept.append(answer[end : finding.span.start])
            end = finding.span.end
        else:
            assert finding.text in guarded.text
    kept.append(answer[end:])
    assert _subsequence("".join(map(_without_layout, kept)), re.sub(r"\s+", "", guarded.text))
    without_names = re.sub(r" \[[^\[\]\n]*\]", "", guarded.text)  # "He [Rita Halloway] ...", see repair._with_referent
    assert _subsequence(re.sub(r"\s+", "", without_names), re.sub(r"\s+", "", "".join(kept)))


@given(answers, scripts)
def test_annotation_keeps_every_character(answer, script):
    """Notes are only put in."""
    for style in ("markdown", "plain"):
        guarded = run(answer, script, Policy.annotate().with_(style=style))
        assert _subsequence(answer, guarded.text)
        noted = [f for f in guarded.report.findings if f.verdict is not Verdict.SUPPORTED]
        assert (guarded.text != answer) == (bool(noted) or guarded.report.verdict is Verdict.UNVERIFIED)


@given(answers, policies, st.integers(0, 7), st.data())
def test_a_worse_verdict_never_gives_a_milder_action(answer, policy, which, data):
    """For one segment, the rest being equal: supported, unsupported, contradicted; and unverified against supported."""
    script = data.draw(st.dictionaries(st.integers(0, 7), st.sampled_from(VERDICTS)))
    engine = Scripted(script)
    assume(which < len(Guard(engine=engine).check(answer, PASSAGES).findings))

    def severity(verdict):
        guard = Guard(policy=policy, engine=Scripted({**script, which: verdict}))
        return guard.run(answer, PASSAGES).action.severity

    good, neutral, bad, unknown = map(severity, ("supported", "unsupported", "contradicted", "unverified"))
    assert good <= neutral <= bad
    assert good <= unknown
    if policy.name == "strict":
        assert min(neutral, bad, unknown) == Action.BLOCK.severity


class Scripted:
    """Verdicts by the number of the segment."""

    name = "scripted"

    def __init__(self, script):
        self.script = script

    def verify(self, request):
        rows = []
        for number, segment in enumerate(request.segments):
            engine = FakeEngine(default=self.script.get(number, "supported"))
            rows.extend(engine.verify(type(request)(segments=(segment,), passages=request.passages)).rows)
        return type(engine.verify(request))(rows=tuple(rows))


@given(answers, scripts, policies)
def test_a_result_is_always_json(answer, script, policy):
    """Also with lone surrogates, and it comes back the same."""
    record = result_record("id", run(answer, script, policy))
    line = json.dumps(record, ensure_ascii=True, allow_nan=False)
    assert "\n" not in line
    assert json.loads(line) == record
    assert line.isascii()


@given(answers, scripts, policies)
def test_nothing_unverified_is_supported_and_strict_delivers_nothing_doubtful(answer, script, policy):
    """The verdict of the answer is never better than that of a finding."""
    guarded = run(answer, script, policy)
    found = {f.verdict for f in guarded.report.findings}
    if found - {Verdict.SUPPORTED}:
        assert guarded.report.verdict not in (Verdict.SUPPORTED, Verdict.ABSTAINED)
        assert guarded.action is not Action.ALLOW
        if policy.name == "strict":
            assert guarded.action is Action.BLOCK
    if guarded.action is Action.BLOCK:
        assert all(f.text not in guarded.text for f in guarded.report.findings if len(f.text) > 3)


@given(answers, scripts, st.permutations(range(4)))
def test_shuffled_passages_give_the_same_decision(answer, script, order):
    """Order is the retriever's business."""
    passages = [Passage(id=f"p{n}", text=f"Passage {n} tells of the dam.") for n in range(4)]
    for policy in (Policy.strict(), Policy.repair()):
        straight = run(answer, script, policy, passages)
        shuffled = run(answer, script, policy, [passages[n] for n in order])
        assert straight.decision == shuffled.decision
        assert straight.text == shuffled.text


@cache
def _demo():
    from guardrail.evaluation.data.demo_case import load_case

    return load_case()


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("order", [(4, 3, 2, 1, 0), (2, 0, 4, 1, 3)], ids=["backwards", "mixed"])
def test_shuffled_passages_give_the_same_verdicts_of_the_local_engine(number, order):
    """The shipped case, read by the shipped model; only what lies at the threshold itself may tip over."""
    case = _demo()
    question, answer = list(case.answers.items())[number]
    guard = Guard(policy=Policy.strict())
    straight = guard.run(answer, case.documents, question=question)
    shuffled = guard.run(answer, [case.documents[n] for n in order], question=question)
    assert straight.action is shuffled.action
    for before, after in zip(straight.report.findings, shuffled.report.findings, strict=True):
        assert after.score == pytest.approx(before.score, abs=0.1)
        assert after.verdict is before.verdict or abs(before.score - 0.5) < 0.1
