"""The text that leaves is that of a whole check, however the answer is cut and however long it takes."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail import Guard, Passage, Policy
from guardrail.check.contract import VerifyRequest
from guardrail.streaming import Delta, guarded_stream
from guardrail.testing import FakeEngine
from guardrail.types import Cell, Row, SupportMatrix

REDACT = Policy(
    name="redact", actions=dict.fromkeys(("contradicted", "unsupported", "unverified"), "redact"), deadline=None
)


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


def test_namesakes_are_judged_when_the_answer_is_whole(source_of, words):
    passages = [
        Passage(id="a", title="Dick Hanley (swimmer)", text="Dick Hanley (born 1936) is an American swimmer."),
        Passage(id="b", title="Dick Hanley (American football)", text="Dick Hanley (1894-1970) was a football coach."),
    ]
    answer = "Dick Hanley was an American football coach. He won a medal in swimming. He was born in 1936, they say."
    source = source_of(words(answer))
    for event in guarded_stream(Guard(engine=FakeEngine()), source.sync(), passages, mode="sentence"):
        assert source.read == len(source.deltas), event


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
