"""Claims that the caller gives: one finding each, where the answer says them, and repair where they overlap."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace

import pytest

from guardrail import Action, EngineError, Guard, Policy, UsageError, Verdict
from guardrail.check.answer_lines import ClaimsRecord, read_lines
from guardrail.check.claims import within_claims
from guardrail.check.contract import Draft
from guardrail.check.decompose.checkworthiness import CODE
from guardrail.check.intake import read_claims, sentence_of
from guardrail.testing import FakeEngine
from guardrail.types import Claim, Finding, Row, Segment, Span, SupportMatrix

ANSWER = (
    "Larkmoor Dam was built between 1958 and 1963. Rita Halloway designed it, and she was paid 2 million euros [1]. "
    "It is 64 metres high."
)
PASSAGES = ["Larkmoor Dam was built between 1958 and 1963. It is 64 metres high.", "Tom Reed designed Larkmoor Dam."]
CLAIMS = ["Larkmoor Dam is 64 metres high.", ("Rita Halloway", "designed", "Larkmoor Dam"), "Bees dance."]
REDACT = Policy(actions={"contradicted": "redact", "unsupported": "redact", "unverified": "annotate"})


def check(claims, verdicts=None, answer=ANSWER, passages=PASSAGES, **kwargs):
    return Guard(engine=FakeEngine(verdicts or {})).check(answer, passages, claims=claims, **kwargs)


def said(report):
    """Where the claims were found."""
    return [claim.span and claim.span.of(report.answer) for claim in report.claims]


def test_one_finding_and_one_claim_each_in_order():
    """Ids, texts and triplets as given; nothing is taken apart."""
    report = check(CLAIMS, {"Halloway": "contradicted", "Bees": "unsupported"})
    assert [(f.id, f.claim, f.verdict) for f in report.findings] == [
        ("s1", "Larkmoor Dam is 64 metres high.", "supported"),
        ("s2", "Rita Halloway designed Larkmoor Dam.", "contradicted"),
        ("s3", "Bees dance.", "unsupported"),
    ]
    assert [(c.id, c.segment_id, c.triplet, c.verdict) for c in report.claims] == [
        ("s1.1", "s1", None, "supported"),
        ("s2.1", "s2", CLAIMS[1], "contradicted"),
        ("s3.1", "s3", None, "unsupported"),
    ]
    assert (report.verdict, report.reason) == ("contradicted", "Only the given claims were checked.")


def test_sync_and_async_give_the_same():
    """One plan."""
    guard = Guard(engine=FakeEngine({"Bees": "unsupported"}))
    sync = guard.check(ANSWER, PASSAGES, claims=CLAIMS)
    assert replace(asyncio.run(guard.acheck(ANSWER, PASSAGES, claims=CLAIMS)), seconds=sync.seconds) == sync
    assert (
        asyncio.run(guard.arun(ANSWER, PASSAGES, claims=CLAIMS)).text == guard.run(ANSWER, PASSAGES, claims=CLAIMS).text
    )


FOUND = {
    "verbatim": ("It is 64 metres high", "It is 64 metres high"),
    "reworded": ("Larkmoor Dam is 64 metres high.", "64 metres high"),
    "triplet": (("Rita Halloway", "designed", "Larkmoor Dam"), "Rita Halloway designed"),
    "part of a sentence": (("Rita Halloway", "was paid", "2 million euros"), "Rita Halloway designed it, and she was paid 2 million euros"),
    "not said": ("Honey bees dance in their hives.", None),
    "one word in common": ("The Larkmoor museum sells postcards to visitors from Fennick.", None),
    "no content words": ("It is that.", None),
    "inside a word": ("am", None),
    "given span": (Claim(id="mine", text="Somebody built it.", span=Span(0, 12)), "Larkmoor Dam"),
}  # fmt: skip


@pytest.mark.parametrize(("claim", "stretch"), FOUND.values(), ids=FOUND)
def test_where_the_answer_says_it(claim, stretch):
    """The smallest stretch that holds the shared words of the sentence that is most like the claim."""
    assert said(check([claim])) == [stretch]


def test_of_several_stretches_the_smallest_is_meant():
    """Words that come twice do not widen it."""
    answer = "Fennick wanted it sold in May, so the dam was closed, and the dam was later sold to Fennick."
    assert said(check([("dam", "sold to", "Fennick")], answer=answer)) == ["dam was later sold to Fennick"]


def test_findings_span_whole_sentences():
    """What a policy may take out is never half a sentence; a claim that is not said spans the answer."""
    report = check([CLAIMS[1], "Bees dance.", ANSWER])
    sentence = "Rita Halloway designed it, and she was paid 2 million euros [1]."
    assert [f.text for f in report.findings] == [sentence, ANSWER, ANSWER]


CHINESE = "长城始建于春秋战国时期。明长城全长8851.8公里，由陈明远设计。"


def test_chinese_claims_are_found_and_triplets_read_without_spaces():
    """By characters, for words are not set apart."""
    report = check([("明长城", "全长", "8851.8公里"), "长城始建于春秋战国时期。", "蜜蜂会跳舞。"], answer=CHINESE)
    assert said(report) == ["明长城全长8851.8公里", "长城始建于春秋战国时期", None]
    assert report.findings[0].claim == "明长城全长8851.8公里。"
    assert report.findings[0].text == "明长城全长8851.8公里，由陈明远设计。"


@pytest.mark.parametrize(
    ("triplet", "text"),
    [
        (("Paris", "is in", "France"), "Paris is in France."),
        (("Paris", "exists", " "), "Paris exists."),
        (("巴黎", "位于", "法国"), "巴黎位于法国。"),
        (("IBM", "成立于", "1911年"), "IBM成立于1911年。"),
        (('The "Mona Lisa"', "is by", "L. da Vinci."), 'The "Mona Lisa" is by L. da Vinci.'),
    ],
)
def test_triplets_as_sentences(triplet, text):
    """Parts in order, a full stop where there is none."""
    assert sentence_of(triplet) == text


def test_a_span_may_be_a_plain_tuple():
    """As a caller may well write it."""
    [claim] = read_claims([Claim(id="", text="x", span=(0, 5))]) or ()
    assert isinstance(claim.span, Span)


def test_no_claims_of_an_answer_of_code_are_no_abstention():
    """Nobody read it, so a policy may not deliver it as if it claimed nothing; of prose it is the caller's word."""
    code = "```python\nprint(1)\n```"
    guarded = Guard(engine=FakeEngine(), policy=Policy.load("strict")).run(code, PASSAGES, claims=[])
    assert (guarded.report.verdict, guarded.action) == ("unverified", "block")
    assert [s.skipped for s in guarded.report.skipped] == [CODE]
    assert check([], answer=f"{ANSWER}\n\n{code}").verdict == "abstained"


def test_no_claims_at_all_is_an_abstention():
    """RefChecker's label; None means that the answer is taken apart."""
    report = check([])
    assert (report.verdict, report.findings, report.reason) == ("abstained", (), "There are no claims to check.")
    assert len(check(None).findings) == 3


WRONG = {
    "text": ("Paris", "claims must be a list.*got str"),
    "one claim": (Claim(id="c", text="x"), r"write \[claim\]"),
    "number": ([3], "claim 1 must be a str.*got int"),
    "pair": ([("a", "b")], "claim 1 must be a text or"),
    "nested": (["a", [["h", "r", "t"]]], "claim 2 must be a text or"),
    "not texts": ([("a", 1, "b")], "claim 1 must be a text or"),
    "empty": (["x", " "], "claim 2 is empty"),
    "empty triplet": ([("", " ", "")], "claim 1 is empty"),
    "span": ([Claim(id="c", text="x", span=Span(0, 999))], "claim 1 has the span.*not inside"),
    "backward": ([Claim(id="c", text="x", span=Span(5, 3))], "not inside"),
    "mapping": ([{"text": "x"}], "got dict"),
    "span of texts": ([Claim(id="c", text="x", span="ab")], "claim 1: span must be"),
    "span of floats": ([Claim(id="c", text="x", span=Span(0.0, 5.0))], "claim 1: span must be"),
}


@pytest.mark.parametrize(("claims", "message"), WRONG.values(), ids=WRONG)
def test_the_callers_mistakes_are_raised(claims, message):
    """In both drivers, with the number of the claim."""
    guard = Guard(engine=FakeEngine())
    with pytest.raises(UsageError, match=message):
        guard.check(ANSWER, PASSAGES, claims=claims)
    with pytest.raises(UsageError, match=message):
        asyncio.run(guard.acheck(ANSWER, PASSAGES, claims=claims))


@pytest.mark.parametrize("passages", [[], [" "]])
def test_without_passages_each_claim_is_unverified(passages):
    """None is lost."""
    report = check(CLAIMS, passages=passages)
    assert [f.verdict for f in report.findings] == [c.verdict for c in report.claims] == ["unverified"] * 3


def test_a_failing_engine_leaves_each_claim_unverified():
    """With the reason."""
    report = Guard(engine=FakeEngine(default=EngineError("down"))).check(ANSWER, PASSAGES, claims=CLAIMS)
    assert [(c.verdict, "down" in c.reason) for c in report.claims] == [("unverified", True)] * 3


def test_a_bug_of_ours_leaves_each_claim_unverified(monkeypatch):
    """Never an exception, and as many findings as claims."""
    monkeypatch.setattr("guardrail.check.plan.given", lambda *_: 1 / 0)
    report = check(CLAIMS)
    assert [(f.claim, f.verdict) for f in report.findings][-1] == ("Bees dance.", "unverified")
    assert len(report.findings) == 3


def test_each_passage_is_read_for_each_claim():
    """RefChecker's matrix of labels by reference; of many passages the engine may choose."""
    engine = FakeEngine()
    guard = Guard(engine=engine)
    guard.check(ANSWER, PASSAGES, claims=CLAIMS)
    guard.check(ANSWER, [f"Passage {n}." for n in range(11)], claims=CLAIMS)
    guard.check(ANSWER, PASSAGES)
    assert [dict(call.must_read) for call in engine.calls] == [
        {"s1": (0, 1), "s2": (0, 1), "s3": (0, 1)},
        {"s2": (0,)},  # cited
        {"s2": (0,)},
    ]


def test_labels_by_passage_with_the_shipped_engine():
    """The real model."""
    [claim] = Guard().check(ANSWER, PASSAGES, claims=[("Tom Reed", "designed", "Larkmoor Dam")]).claims
    assert claim.by_passage == (("1", Verdict.UNSUPPORTED), ("2", Verdict.SUPPORTED))
    assert [e.passage_id for e in claim.evidence] == ["2"]


def test_relations_of_texts_are_checked_those_of_triplets_are_not_looked_for():
    """A triplet has no connective."""
    engine = FakeEngine()
    text = "Ann Weir lowered the lake because divers found a crack."
    Guard(engine=engine).check(ANSWER, PASSAGES, claims=[text, ("It", "fell because of", "rain")])
    assert [[r.connective for r in s.relations] for s in engine.calls[0].segments] == [["because"], []]


def test_an_empty_answer_with_claims():
    """Spans are empty, nothing breaks, whatever the policy does."""
    for policy in (Policy.monitor(), Policy.repair(), Policy.annotate(), REDACT):
        guarded = Guard(policy=policy, engine=FakeEngine(default="unsupported")).run("", PASSAGES, claims=CLAIMS)
        assert [f.span for f in guarded.report.findings] == [(0, 0)] * 3
        assert guarded.decision.rule != "fail=closed"


def run(claims, verdicts, answer=ANSWER, policy=REDACT):
    return Guard(policy=policy, engine=FakeEngine(verdicts)).run(answer, PASSAGES, claims=claims)


def test_two_wrong_claims_of_one_sentence_take_it_out_once():
    """Overlapping cuts are one cut."""
    claims = [("Rita Halloway", "designed", "it"), ("Rita Halloway", "was paid", "2 million euros"), CLAIMS[0]]
    guarded = run(claims, {"Halloway": "unsupported"})
    assert guarded.text == "Larkmoor Dam was built between 1958 and 1963. It [Larkmoor Dam] is 64 metres high."


def test_a_right_claim_goes_with_its_wrong_sentence():
    """A cut inside the sentence would leave a sentence that nobody has checked."""
    claims = ["Rita Halloway designed it.", ("Rita Halloway", "was paid", "2 million euros"), CLAIMS[0]]
    guarded = run(claims, {"paid": "unsupported"})
    assert "Halloway" not in guarded.text
    assert guarded.action is Action.REDACT


def test_nothing_left_is_a_block():
    """Also where a right claim's words were taken out with a wrong one's."""
    guarded = run(["Rita Halloway designed it.", "Bees dance."], {"Bees": "unsupported"})
    assert guarded.action is Action.BLOCK
    assert "Halloway" not in guarded.text


def test_a_claim_about_somebody_else_is_no_referent():
    """What stands behind a sentence that was taken out is named where a pronoun stands, never where a name does."""
    guard = Guard(engine=FakeEngine({"king": "unsupported"}), policy=Policy.repair())
    claims = ["The king was poor.", "Rome hosted the games."]
    assert guard.run("The king was poor. Paris hosted the games.", ["x"], claims=claims).text == (
        "Paris hosted the games."
    )
    assert guard.run("The king was poor. It hosted the games.", ["x"], claims=claims).text == (
        "It [Rome] hosted the games."
    )


def test_notes_of_one_sentence_stand_in_order_and_those_taken_out_have_none():
    """Marks at one place, first claim first; the legend names what is there."""
    claims = [
        CLAIMS[0],
        "Rita Halloway designed it.",
        ("Rita Halloway", "was paid", "2 million euros"),
        "Tom built it in 1958.",
    ]
    verdicts = {"64": "unsupported", "designed": "unverified", "paid": "unverified"}
    text = run(claims, verdicts).text
    assert "[1].[^g1][^g2]" in text
    assert text.count("Not verified") == 2
    assert "64 metres" not in text
    both = {"64": "unverified", "designed": "unsupported", "paid": "unverified"}
    text = run(claims, both).text
    assert "Halloway" not in text
    assert text.endswith("It is 64 metres high.[^g1]\n\n[^g1]: Not verified: scripted")


@pytest.mark.parametrize(
    ("focus", "claim", "found"),
    [
        (Span(2, 9), Span(5, 20), Span(5, 9)),
        (Span(6, 9), Span(5, 20), Span(6, 9)),
        (Span(0, 4), Span(5, 20), Span(5, 20)),
        (Span(0, 4), None, None),
        (None, Span(5, 20), None),
    ],
)
def test_a_focus_outside_the_claim_is_the_claim(focus, claim, found):
    """What overlaps is kept; of a claim that the answer does not say, no words are at fault."""
    segment = Segment(id="s1", span=Span(0, 30), text="x", claims=(Claim(id="s1.1", text="x", span=claim),))
    finding = Finding(
        id="s1", text="", span=Span(0, 30), claim="x", verdict=Verdict.UNSUPPORTED, score=0.1, focus=focus
    )
    assert within_claims([finding], [segment])[0].focus == found


def test_words_at_fault_are_those_of_the_claim():
    """Not those of another claim of the sentence."""
    answer = "Larkmoor Dam is 70 metres high and was built between 1958 and 1999."
    claims = [("Larkmoor Dam", "is", "70 metres high"), ("Larkmoor Dam", "was built", "between 1958 and 1999")]
    report = Guard().check(answer, PASSAGES, claims=claims)
    for finding, claim, wrong in zip(report.findings, report.claims, ("70", "1999"), strict=True):
        assert finding.verdict != Verdict.SUPPORTED
        assert wrong in finding.focus.of(answer)
        assert claim.span.start <= finding.focus.start < finding.focus.end <= claim.span.end
    unsaid = Guard().check(answer, PASSAGES, claims=["Bees dance in 1999 with Napoleon."])
    assert (unsaid.findings[0].text, unsaid.findings[0].focus) == (answer, None)


NAMESAKES = [
    {"title": "Dick Hanley (swimmer)", "text": "Dick Hanley was an American swimmer. He won a silver medal in 1956."},
    {
        "title": "Dick Hanley (American football)",
        "text": "Dick Hanley was an American football coach. He led Northwestern.",
    },
]
BIOGRAPHIES = (
    "Dick Hanley was a football coach who led Northwestern. Another Dick Hanley was a swimmer and won a silver medal."
)


def test_claims_share_the_groups_of_their_sentences():
    """Two claims of "Another Dick Hanley ..." are about one other man, not two."""
    claims = [
        "Dick Hanley led Northwestern.",
        "Dick Hanley was a swimmer.",
        "Dick Hanley won a silver medal.",
        "Bees dance.",
    ]
    report = Guard(engine=FakeEngine()).check(BIOGRAPHIES, NAMESAKES, claims=claims)
    assert [g.segments for g in report.groups] == [("s1",), ("s2", "s3"), ("s4",)]
    assert [bool(g.name) for g in report.groups] == [True, True, False]


@dataclass(frozen=True)
class Triplets:
    """Takes each sentence apart into two triplets, and judges nothing but claims."""

    name: str = "triplets"
    fails: bool = False
    rows: tuple = ()

    def decompose(self, request):
        if self.fails:
            raise EngineError("no model")
        parts = request.parts
        segments = tuple(
            s if s.skipped else replace(s, claims=tuple(self._claim(s, n) for n in (1, 2))) for s in parts.segments
        )
        return Draft(parts=replace(parts, segments=segments))

    def _claim(self, segment, number):
        triplet = (segment.id, "says", f"thing {number}")
        return Claim(id=f"{segment.id}.{number}", text=sentence_of(triplet), triplet=triplet, span=segment.span)

    def verify(self, request):
        return SupportMatrix(rows=self.rows or FakeEngine().verify(request).rows)


@dataclass(frozen=True)
class AwaitedTriplets:
    """The same, to be awaited."""

    inner: Triplets = Triplets()
    name: str = "awaited"

    async def adecompose(self, request):
        await asyncio.sleep(0)
        return self.inner.decompose(request)

    async def averify(self, request):
        return self.inner.verify(request)


TEXT = "Hello! The dam is 64 metres high. It was opened in 1963."


def test_extract_by_rules_gives_each_segment_as_its_claim():
    """Skipped pieces come too, without claims; the texts stand alone."""
    segments = Guard(engine=FakeEngine()).extract(TEXT)
    assert [(s.skipped is None, [c.text for c in s.claims]) for s in segments] == [
        (False, []),
        (True, ["The dam is 64 metres high."]),
        (True, ["The dam was opened in 1963."]),
    ]
    assert [c.span.of(TEXT) for s in segments for c in s.claims] == [
        "The dam is 64 metres high.",
        "It was opened in 1963.",
    ]


def test_extract_by_an_engine_gives_triplets():
    """Sync and awaited."""
    found = Guard(engine=Triplets()).extract(TEXT, "How high is the dam?")
    assert next(c.triplet for s in found for c in s.claims) == ("s2", "says", "thing 1")
    assert found == asyncio.run(Guard(engine=Triplets()).aextract(TEXT, "How high is the dam?"))
    assert found == asyncio.run(Guard(engine=AwaitedTriplets()).aextract(TEXT, "How high is the dam?"))


def test_extract_where_the_engine_fails_is_by_rules():
    """Nothing is lost."""
    assert Guard(engine=Triplets(fails=True)).extract(TEXT) == Guard(engine=FakeEngine()).extract(TEXT)


def test_draft_says_what_extraction_cost_and_what_failed():
    """For the command line."""
    assert Guard(engine=Triplets()).draft(TEXT).reason == ""
    assert "no model" in Guard(engine=Triplets(fails=True)).draft(TEXT).reason


def test_extract_refuses_what_can_only_be_awaited():
    """And what is no text."""
    with pytest.raises(UsageError, match="aextract"):
        Guard(engine=AwaitedTriplets()).extract(TEXT)
    with pytest.raises(UsageError, match="answer must be a str"):
        Guard(engine=FakeEngine()).extract(None)


def test_extracted_claims_can_be_checked():
    """With their triplets and spans."""
    guard = Guard(engine=Triplets())
    claims = [c for s in guard.extract(TEXT) for c in s.claims]
    report = guard.check(TEXT, PASSAGES, claims=claims)
    assert [(c.triplet, c.span) for c in report.claims] == [(c.triplet, c.span) for c in claims]


def test_claims_of_an_engine_that_judges_segments_only():
    """A segment with several claims says nothing of each; one that nobody judged says so of all."""
    assert Guard(engine=Triplets()).check(TEXT, PASSAGES).claims == ()
    unread = [Row(segment_id=f"s{n}", cells=(None, None), unverified="asleep") for n in (2, 3)]
    found = Guard(engine=Triplets(rows=tuple(unread))).check(TEXT, PASSAGES).claims
    assert [(c.verdict, c.reason) for c in found] == [("unverified", "asleep")] * 4


def test_more_claims_than_are_judged_at_once():
    """Each has a finding; what is beyond the limit is unverified."""
    report = check([f"Tower {n} stands." for n in range(1_002)])
    assert len(report.findings) == len(report.claims) == 1_002
    assert [c.verdict for c in report.claims[-3:]] == ["supported", "unverified", "unverified"]


def test_claims_in_records():
    """Texts, triplets and objects; a mistake names its place."""
    record = {
        "answer": "x",
        "passages": [],
        "claims": ["a", ["h", "r", "t"], {"triplet": ["a", "b", "c"], "span": [0, 1]}],
    }
    wrong = [{"triplet": ["a", "b"]}, 3, {"text": 3}, {"text": "x", "span": [0]}]
    lines = [
        json.dumps(record),
        *(json.dumps(record | {"claims": ["a", c]}) for c in wrong),
        json.dumps(record | {"claims": None}),
    ]
    [good, *bad] = read_lines(lines, ("answer", "passages", "claims"))
    assert isinstance(good.record, ClaimsRecord)
    texts = [c.text for c in read_claims(good.record.to_claims())]
    assert texts == ["a", "h r t.", "a b c."]
    assert good.record.to_claims()[-1].span == (0, 1)
    assert [line.record for line in bad] == [None] * 5
    assert all(line.error.startswith("claims.1") for line in bad[:4]), [line.error for line in bad]
    assert "null" in bad[-1].error
