"""What comes in: every bad input is refused by name, or checked, or honestly UNVERIFIED."""

from __future__ import annotations

import pytest

from guardrail import Action, Guard, Passage, Policy, UsageError, Verdict
from guardrail.testing import FakeEngine
from tests.support.growth import grows_linearly

GUARD = Guard(policy=Policy.strict(), engine=FakeEngine())
REAL = Guard(policy=Policy.strict())
ANSWER = "The dam is 64 metres high."


@pytest.mark.parametrize("answer", ["", " ", "\n\t\u3000\n"])
def test_an_empty_answer_is_unverified_and_not_delivered_under_strict(answer):
    """There is nothing to check, which is no support."""
    guarded = GUARD.run(answer, ["The dam is high."])
    assert (guarded.report.verdict, guarded.report.findings) == (Verdict.UNVERIFIED, ())
    assert guarded.report.reason == "The answer is empty."
    assert guarded.action is Action.BLOCK


@pytest.mark.parametrize("passages", [[], (), [""], [" \n", "\u3000"], iter([])])
def test_no_passages_or_blank_ones_are_unverified(passages):
    """Without sources nothing is supported, whatever the engine would say."""
    engine = FakeEngine()
    guarded = Guard(policy=Policy.strict(), engine=engine).run(ANSWER, passages)
    assert [f.verdict for f in guarded.report.findings] == [Verdict.UNVERIFIED]
    assert "no passages" in guarded.report.findings[0].reason
    assert (guarded.action, engine.calls) == (Action.BLOCK, [])


def test_a_blank_passage_among_others_supports_nothing_and_harms_nothing():
    """Retrievers do return empty chunks; numbers of the others stay."""
    report = REAL.check(ANSWER, ["", ANSWER, " \n"])
    assert report.verdict is Verdict.SUPPORTED
    assert report.findings[0].evidence[0].passage_id == "2"


def test_a_very_long_answer_is_checked_and_takes_linear_time():
    """What is beyond the limit of segments is UNVERIFIED, never supported."""
    answer = "".join(f"Tower {n} is {n % 90 + 10} metres high. " for n in range(5_000))
    engine = FakeEngine()
    guard = Guard(policy=Policy(deadline=None), engine=engine)
    assert grows_linearly(lambda text: guard.check(text, ["The towers are high."]), answer)
    engine.calls.clear()
    report = guard.check(answer, ["The towers are high."])
    assert [len(call.segments) for call in engine.calls] == [1_000]
    assert sum(f.verdict is Verdict.SUPPORTED for f in report.findings) == 1_000
    assert {f.verdict for f in report.findings[1_000:]} == {Verdict.UNVERIFIED}
    assert report.verdict is Verdict.UNVERIFIED


def test_two_thousand_passages_are_read_by_the_local_engine():
    """The one that matters is found among them."""
    passages = [f"Bridge {n} spans the river {n} near the village {n}." for n in range(2_000)]
    passages[1_234] = ANSWER
    report = Guard(policy=Policy(deadline=None)).check(ANSWER, passages)
    assert report.verdict is Verdict.SUPPORTED
    assert report.findings[0].evidence[0].passage_id == "1235"


def test_passages_may_come_from_a_generator():
    """It is read once."""
    report = GUARD.check(ANSWER, (text for text in ("One.", "Two.")))
    assert [(p.id, p.text) for p in report.passages] == [("1", "One."), ("2", "Two.")]


def test_the_three_forms_of_a_passage_are_the_same_to_the_guard():
    """Text, Passage and dict; titles and ids are kept."""
    report = GUARD.check(ANSWER, ["a", Passage(id="x", title="T", text="b"), {"text": "c", "id": None, "title": "U"}])
    assert report.passages == (
        Passage(id="1", text="a"),
        Passage(id="x", title="T", text="b"),
        Passage(id="3", text="c", title="U"),
    )


ODD_TEXTS = {
    "lone surrogates": "The dam \ud800is 64 metres\udfff high.",
    "only a surrogate": "\ud800",
    "NUL": "The dam\x00 is 64 metres high.\x00",
    "right to left": "הסכר גבוה 64 מטרים. السد يبلغ ارتفاعه 64 مترا.",
    "direction marks": "The \u202edam\u202c is 64 metres high.",
    "HTML": "<p>The dam is <b>64&nbsp;metres</b> high.</p><script>alert(1)</script>",
    "combining": "The d\u0301\u0302\u0303am is 64 me\u0301tres high.",
    "emoji": "👩‍👩‍👧 The dam is 64 metres high 🎉.",
    "line separators": "The dam is\u2028 64 metres\x85 high.\r\nIt\ris old.",
    "one long word": "x" * 100_000,
    "one long sentence": "the dam and " * 1_000 + "nothing.",
    "brackets": "[" * 5_000 + "(" * 5_000,
    "template": "{answer} {{passages}} %s ${HOME}",
}


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_odd_text_in_the_answer_is_checked_by_the_local_engine(text):
    """No crash inside (that would be a finding 'the guard failed'), and spans index the answer as given."""
    report = REAL.check(text, [ANSWER, text[::-1]], question=text[:200])
    for finding in report.findings:
        assert finding.span.of(text) == finding.text
        assert "failed" not in finding.reason
    assert "failed" not in report.reason
    assert report.answer == text


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_odd_text_in_a_passage_does_not_spoil_the_others(text):
    """A broken passage beside a good one: the good one still supports."""
    report = REAL.check(ANSWER, [ANSWER, {"text": text, "title": text[:50], "id": "odd"}])
    assert report.verdict is Verdict.SUPPORTED
    for evidence in report.findings[0].evidence:
        source = next(p for p in report.passages if p.id == evidence.passage_id)
        assert evidence.span.of(source.text) == evidence.quote


REFUSED = {
    "answer bytes": (b"text", ["p"], r"answer must be a str, got bytes"),
    "answer None": (None, ["p"], r"answer must be a str, got NoneType"),
    "answer int": (42, ["p"], r"answer must be a str, got int"),
    "passages str": (ANSWER, "one passage", r"passages must be a list .* got str.*\[passage\]"),
    "passages bytes": (ANSWER, b"one", r"passages must be a list .* got bytes"),
    "passages None": (ANSWER, None, r"passages must be a list .* got NoneType.*write \[\]"),
    "passages int": (ANSWER, 3, r"passages must be a list .* got int"),
    "one Passage": (ANSWER, Passage(text="p"), r"passages must be a list .* got Passage"),
    "one dict": (ANSWER, {"text": "p"}, r"passages must be a list .* got dict"),
    "bytes inside": (ANSWER, ["p", b"q"], r"passage 2 must be a str, Passage or dict, got bytes"),
    "None inside": (ANSWER, [None], r"passage 1 must be .* got NoneType"),
    "list inside": (ANSWER, [["p"]], r"passage 1 must be .* got list"),
    "unknown keys": (ANSWER, [{"text": "p", "score": 1, "url": ""}], r"passage 1 has unknown keys \['score', 'url'\]"),
    "no text": (ANSWER, [{"page_content": "p"}], r"passage 1 has no 'text'; its keys are \['page_content'\]"),
    "text None": (ANSWER, [{"text": None}], r"passage 1: text must be a str, got NoneType"),
    "text bytes": (ANSWER, [Passage(text=b"p")], r"passage 1: text must be a str, got bytes"),
    "id int": (ANSWER, [{"text": "p", "id": 7}], r"passage 1: id must be a str, got int \(7\)"),
    "title int": (ANSWER, [{"text": "p", "title": 7}], r"passage 1: title must be a str or None, got int"),
    "twin ids": (ANSWER, [Passage(id="a", text="p"), "q", {"id": "a", "text": "r"}], r"passages 1 and 3 .* id 'a'"),
}


@pytest.mark.parametrize(("answer", "passages", "message"), REFUSED.values(), ids=REFUSED)
def test_the_callers_mistake_is_refused_with_the_value_named(answer, passages, message):
    """UsageError, also under a policy that fails open: a mistake is not an outage."""
    with pytest.raises(UsageError, match=message):
        Guard(policy=Policy.monitor(), engine=FakeEngine()).run(answer, passages)


@pytest.mark.parametrize("question", [7, b"why?", ["why?"]])
def test_a_question_of_another_type_is_refused(question):
    """The message names the argument."""
    with pytest.raises(UsageError, match="question must be a str"):
        GUARD.check(ANSWER, ["p"], question=question)


def test_an_empty_question_counts_as_none():
    """Chains without a question pass an empty string."""
    assert GUARD.check(ANSWER, ["p"], question="").question is None
