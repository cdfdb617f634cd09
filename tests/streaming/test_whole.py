"""The text that leaves is that of a whole check, however the answer is cut and however long it takes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail import Guard, Passage, Policy
from guardrail.check.contract import PartialRows, VerifyRequest
from guardrail.engines.local.engine import LocalEngine
from guardrail.streaming import Delta, guarded_stream
from guardrail.streaming.stable_prefix import stable_until
from guardrail.testing import FakeEngine
from guardrail.types import Cell, Row, SupportMatrix

REDACT = Policy(
    name="redact", actions=dict.fromkeys(("contradicted", "unsupported", "unverified"), "redact"), deadline=None
)
BLOCK = Policy.strict().with_(deadline=None)


ANSWERS = (
    (
        "Larkmoor Dam was closed to all visitors on 4 May 2021. "
        "Divers found a deep crack in the old spillway gate. "
        "The mayor of Fennick secretly ordered the closure himself. "
        "The long repair took eleven weeks and cost 2.3 million euros."
    ),
    (
        "Sure! Here is what the passages say:\n\n- **Height**: The dam is 3.5 metres high, e.g. at its crest.\n"
        "- Dr. Smith of St. Louis built it in 1932 [1].\n- It fell.\n\n## Later\n\nIt was rebuilt in 1950. [2] "
        "Consequently, the village moved up the valley. However, nobody liked that at all.\n"
    ),
    (
        "| Name | Role |\n| --- | --- |\n| Rita Halloway | builder of the dam |\n| Ann Weir | owner of the mill |\n\n"
        "Rita Halloway was born in 1902 in Fennick. She built the dam alone.\n\n```python\nprint('x. y. z.')\n```\n"
        "The code above prints three letters. That is all there is to it."
    ),
    (
        "拉克摩尔大坝于2021年5月4日关闭。潜水员在溢洪道闸门发现了裂缝。因此，村庄迁到了山谷上方。维修耗时十一周，花费230万欧元。"
        "市长后来向酒店老板道歉。"
    ),
    (
        'He said: "It rained. The dam broke. Everybody fled." Then the water came down the valley at night. '
        "Nobody had warned the people in the village below. (The siren was broken. It had been for years.) They sued."
    ),
    "The passages describe a dam. They do not give its height or its age.",
    "Certainly.",
    "",
    "   \n",
    (
        "## Summary\n\nThe dam was closed in 2021.\n\n> The gate had a crack. It was repaired.\n\n1. First, divers went "
        "down.\n2. Second, they found the crack.\n   It was deep.\n\nSources:\n[1] https://example.org/dam"
    ),
)


@dataclass(frozen=True)
class Coin:
    """Judges by a hash of the segment; a third each supported, contradicted, unsupported."""

    name: str = "coin"

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        rows = []
        for segment in request.segments:
            side = hashlib.sha256(segment.text.encode()).digest()[0] % 3
            supported, contradicted = ((0.9, 0.0), (0.1, 0.9), (0.1, 0.1))[side]
            cells = (Cell(supported=supported, contradicted=contradicted),) * len(request.passages)
            rows.append(Row(segment_id=segment.id, cells=cells, supported=supported, contradicted=contradicted,
                            reason=f"side {side}"))  # fmt: skip
        return SupportMatrix(rows=tuple(rows))


@settings(max_examples=80)
@given(
    st.sampled_from(ANSWERS),
    st.sampled_from((Policy.monitor(), Policy.annotate(), Policy.annotate().with_(style="plain"), REDACT)),
    st.sampled_from(("sentence", "buffer")),
    st.integers(0, 10**6),
)
def test_however_it_is_cut_the_text_is_that_of_a_whole_check(
    passages, cut, joined, collect, answer, policy, mode, seed
):
    guard = Guard(policy=policy, engine=Coin())
    whole = guard.run(answer, passages)
    events = collect(guard, cut(answer, seed), mode=mode)
    guarded = events[-1].guarded
    assert joined(events) == guarded.text == whole.text
    assert guarded.action is whole.action
    assert guarded.report.findings == whole.report.findings
    assert guarded.decision == whole.decision
    assert all(e.verified for e in events if isinstance(e, Delta))


def _real_cases():
    benchmark = json.loads((Path(__file__).parents[2] / "benchmarks" / "latency_cases.json").read_text("utf-8"))
    return [(case["question"], case["answer"], case["passages"]) for case in benchmark]


@pytest.mark.parametrize("policy", [Policy.annotate(), REDACT], ids=lambda policy: policy.name)
def test_the_local_engine_judges_a_stream_as_it_judges_the_whole(policy, cut, joined, collect):
    guard = Guard(policy=policy.with_(deadline=None))
    for seed, (question, answer, passages) in enumerate(_real_cases()[:3]):
        whole = guard.run(answer, passages, question=question)
        events = collect(guard, cut(answer, seed), passages, question=question, mode="sentence")
        assert joined(events) == whole.text
        assert events[-1].guarded.report.findings == whole.report.findings
        assert sum(isinstance(e, Delta) for e in events) > 1


def test_a_segment_is_read_the_same_whatever_is_read_beside_it():
    _, answer, passages = _real_cases()[0]
    guard = Guard()
    request = _request(guard, answer, passages)
    engine = LocalEngine()
    whole = engine.read_part(request)
    for number, segment in enumerate(request.segments):
        alone = engine.read_part(VerifyRequest(segments=(segment,), passages=request.passages))
        for count in (1, 3, engine.longest):
            assert alone.rows(count)[0] == whole.rows(count)[number]
    assert engine.verify(request).rows == whole.rows(sum(whole.own))


def _request(guard, answer, passages):
    engine = FakeEngine()
    Guard(engine=engine).check(answer, passages)
    return engine.calls[0]


@dataclass
class Growing:
    """Supports a segment about the gate only in answers of three segments or more."""

    name: str = "growing"
    longest: int = 3
    read: list[str] = field(default_factory=list)

    def read_part(self, request):
        self.read += [s.text for s in request.segments]

        def rows(count):
            return tuple(
                Row(segment_id=s.id, cells=(None,) * len(request.passages), supported=p)
                for s in request.segments
                for p in [0.4 if "gate" in s.text and count < 3 else 0.9]
            )

        return PartialRows(own=(True,) * len(request.segments), rows=rows)

    def verify(self, request):
        part = self.read_part(request)
        return SupportMatrix(rows=part.rows(len(request.segments)))


def test_a_verdict_that_may_still_change_is_waited_for(passages, dam, source_of, words, joined, collect):
    first, second, _, last = dam.split(". ")
    late = f"{second}. {first}. {last}"
    for answer in (late, f"{second}. {first}.", dam):
        guard = Guard(policy=BLOCK, engine=(engine := Growing()))
        events = collect(guard, words(answer), mode="sentence")
        assert joined(events) == guard.run(answer, passages).text
        assert len(engine.read) == 2 * len(guard.check(answer, passages).findings)  # each once per run
    source = source_of(words(late))
    stream = guarded_stream(Guard(policy=BLOCK, engine=Growing()), source.sync(), passages, mode="sentence")
    assert next(stream).finding.text.startswith("Divers")
    assert source.read == len(source.deltas)  # the third segment is what it waited for


def test_namesakes_are_judged_when_the_answer_is_whole(source_of, words):
    passages = [
        Passage(id="a", title="Dick Hanley (swimmer)", text="Dick Hanley (born 1936) is an American swimmer."),
        Passage(id="b", title="Dick Hanley (American football)", text="Dick Hanley (1894-1970) was a football coach."),
    ]
    answer = "Dick Hanley was an American football coach. He won a medal in swimming. He was born in 1936, they say."
    source = source_of(words(answer))
    for event in guarded_stream(Guard(engine=FakeEngine()), source.sync(), passages, mode="sentence"):
        assert source.read == len(source.deltas), event


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("The dam is 3.", ""),
        ("The dam is 3.5 metres high and it was built by Rita", ""),
        ("It was built by Dr. Smith of the old town near St. Louis who", ""),
        ("The dam broke. Cons", ""),
        ("The dam broke. Consequently, the village below it had to be moved", ""),
        ("The dam broke. The village below it had to be moved to", "The dam broke."),
        ("The dam broke. [1] The village below it had to be moved to", "The dam broke. [1]"),
        ('He said "The dam broke. The village below it had to be moved to', ""),
        ("The fence:\n\n```\nThe dam broke. The village below it had to be moved to", "The fence:"),
        ("The dam broke at night\n\n| Name and first name | Role in the long works |\n|", "The dam broke at night"),
        ("大坝坏了。因此，下游的村庄不得不搬到山谷上方的", ""),
        ("大坝坏了。下游的村庄在很久以后不得不搬到山谷上方的", "大坝坏了。"),
        ("- The dam broke at night\n- The village below it had to be moved to", "The dam broke at night"),
        ("The passages describe the dam. They say much about its history and its long", ""),
    ],
)
def test_nothing_is_settled_that_may_still_change(text, settled):
    until = stable_until(text, 0, None, ())
    assert text[:until].removeprefix("- ") == settled


def test_a_long_answer_is_not_taken_apart_anew_for_each_sentence(joined, collect):
    sentences = [f"The water of lake {n} is deep. " for n in range(150)]
    engine = FakeEngine()
    events = collect(Guard(policy=Policy.monitor(), engine=engine), sentences, mode="sentence")
    assert joined(events) == "".join(sentences)
    assert 40 < len(engine.calls) < 100


def test_empty_lines_without_end_cost_next_to_nothing(collect):
    started = time.monotonic()
    collect(Guard(policy=Policy.monitor(), engine=FakeEngine()), ["\n"] * 4000, mode="sentence")
    assert time.monotonic() - started < 3


def test_streams_do_not_share_anything(passages, cut, joined, collect, acollect):
    guard = Guard(policy=REDACT, engine=Coin())
    answers = [answer for answer in ANSWERS if len(answer) > 100] * 4
    expected = [guard.run(answer, passages).text for answer in answers]

    async def together():
        async def one(answer, seed):
            async def deltas():
                for piece in cut(answer, seed):
                    yield piece
                    await asyncio.sleep(0)

            return joined(await acollect(guard, deltas(), mode="sentence"))

        return await asyncio.gather(*(one(answer, seed) for seed, answer in enumerate(answers)))

    assert asyncio.run(together()) == expected

    got: dict[int, str] = {}

    def thread(number):
        got[number] = joined(collect(guard, cut(answers[number], number), mode="sentence"))

    threads = [threading.Thread(target=thread, args=(n,)) for n in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [got[n] for n in range(8)] == expected[:8]
