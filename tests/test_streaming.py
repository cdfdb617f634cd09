"""Streams: what leaves, when, and that nothing unchecked does."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail import Action, Guard, Passage, Policy, UsageError
from guardrail.engine import Part, VerifyRequest
from guardrail.errors import EngineError
from guardrail.local.engine import LocalEngine
from guardrail.streaming import Checked, Delta, Finished, Withheld, aguarded_stream, guarded_stream
from guardrail.streaming.ahead import AHEAD
from guardrail.streaming.settled import settled_until
from guardrail.testing import FakeEngine
from guardrail.types import Cell, Row, SupportMatrix

REDACT = Policy(
    name="redact", actions=dict.fromkeys(("contradicted", "unsupported", "unverified"), "redact"), deadline=None
)
BLOCK = Policy.strict().with_(deadline=None)
PASSAGES = ("Larkmoor Dam was closed in 2021 after divers found a crack in the spillway gate.",)
DAM = (
    "Larkmoor Dam was closed to all visitors on 4 May 2021. "
    "Divers found a deep crack in the old spillway gate. "
    "The mayor of Fennick secretly ordered the closure himself. "
    "The long repair took eleven weeks and cost 2.3 million euros."
)
WRONG = {"mayor": "unsupported"}

ANSWERS = (
    DAM,
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


class Source:
    """Deltas that say how far they were read, and whether they were closed."""

    def __init__(self, deltas, error=None):
        self.deltas, self.error = list(deltas), error
        self.read = 0
        self.closed = False

    def sync(self):
        try:
            for delta in self.deltas:
                self.read += 1
                yield delta
            if self.error:
                raise self.error
        finally:
            self.closed = True

    async def stream(self):
        try:
            for delta in self.deltas:
                self.read += 1
                yield delta
                await asyncio.sleep(0)
            if self.error:
                raise self.error
        finally:
            self.closed = True


def words(text):
    return [piece + " " for piece in text.split(" ")[:-1]] + text.split(" ")[-1:]


def cut(text, seed):
    rng, pieces = random.Random(seed), []
    while text:
        size = rng.choice((1, 2, 3, 5, 9, 30, 200))
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def joined(events):
    return "".join(e.text for e in events if isinstance(e, Delta))


def collect(guard, deltas, passages=PASSAGES, **options):
    return list(guarded_stream(guard, deltas, passages, **options))


async def acollect(guard, deltas, passages=PASSAGES, **options):
    return [event async for event in aguarded_stream(guard, deltas, passages, **options)]


def each_way(guard, source_of, **options):
    """Events of the sync and of the async stream, each over a source of its own."""
    sync, awaited = source_of(), source_of()
    yield collect(guard, sync.sync(), **options), sync
    yield asyncio.run(acollect(guard, awaited.stream(), **options)), awaited


# The text is that of a whole check, however it is cut.


@settings(max_examples=80)
@given(
    st.sampled_from(ANSWERS),
    st.sampled_from((Policy.monitor(), Policy.annotate(), Policy.annotate().with_(style="plain"), REDACT)),
    st.sampled_from(("sentence", "buffer")),
    st.integers(0, 10**6),
)
def test_however_it_is_cut_the_text_is_that_of_a_whole_check(answer, policy, mode, seed):
    guard = Guard(policy=policy, engine=Coin())
    whole = guard.run(answer, PASSAGES)
    events = collect(guard, cut(answer, seed), mode=mode)
    guarded = events[-1].guarded
    assert joined(events) == guarded.text == whole.text
    assert guarded.action is whole.action
    assert guarded.report.findings == whole.report.findings
    assert guarded.decision == whole.decision
    assert all(e.verified for e in events if isinstance(e, Delta))


def _real_cases():
    benchmark = json.loads((Path(__file__).parents[1] / "benchmarks" / "latency_cases.json").read_text("utf-8"))
    return [(case["question"], case["answer"], case["passages"]) for case in benchmark]


@pytest.mark.parametrize("policy", [Policy.annotate(), REDACT], ids=lambda policy: policy.name)
def test_the_local_engine_judges_a_stream_as_it_judges_the_whole(policy):
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


# What leaves, and when.


def test_buffer_lets_nothing_leave_before_the_end():
    source = Source(words(DAM))
    for event in guarded_stream(Guard(engine=FakeEngine()), source.sync(), PASSAGES):
        assert source.closed or source.read == len(source.deltas), event
    assert source.closed


def test_a_sentence_leaves_while_the_next_is_still_coming():
    source = Source(words(DAM))
    stream = guarded_stream(Guard(engine=FakeEngine()), source.sync(), PASSAGES, mode="sentence")
    first = next(e for e in stream if isinstance(e, Delta))
    assert first == Delta("Larkmoor Dam was closed to all visitors on 4 May 2021.", verified=True)
    assert source.read < len(source.deltas) / 2


def test_no_delta_comes_before_the_engine_has_seen_it():
    engine = FakeEngine()
    text = ""
    for event in guarded_stream(Guard(engine=engine), words(DAM), PASSAGES, mode="sentence"):
        if isinstance(event, Delta):
            text += event.text
            seen = " ".join(segment.text for call in engine.calls for segment in call.segments)
            assert text.strip() in seen
    assert text == DAM
    read = [segment.text for call in engine.calls for segment in call.segments]
    assert len(read) == len(set(read)) == 4  # each once


def test_observe_shows_everything_at_once_and_says_so():
    guard = Guard(policy=BLOCK, engine=FakeEngine(WRONG))
    for events, source in each_way(guard, lambda: Source(words(DAM)), mode="observe"):
        deltas = [e for e in events if isinstance(e, Delta)]
        assert [d.text for d in deltas] == source.deltas
        assert not any(d.verified for d in deltas)
        assert events.index(next(e for e in events if isinstance(e, Checked))) == len(deltas)
        assert events[-1].guarded.action is Action.BLOCK


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_redacted_text_is_in_no_delta(mode):
    guard = Guard(policy=REDACT, engine=FakeEngine(WRONG))
    for events, _ in each_way(guard, lambda: Source(words(DAM)), mode=mode):
        assert "mayor" not in joined(events)
        assert joined(events) == events[-1].guarded.text == guard.run(DAM, PASSAGES).text
        withheld = [e for e in events if isinstance(e, Withheld)]
        assert [(w.finding.text, w.action) for w in withheld] == [
            ("The mayor of Fennick secretly ordered the closure himself.", Action.REDACT)
        ]


def test_notes_keep_their_marks_where_the_answer_has_such_marks_later():
    answer = f"The mayor of Fennick ordered it himself, they say. {DAM} See the notes.[^g1]\n\n[^g1]: A leaflet."
    events = collect(Guard(policy=Policy.annotate(), engine=FakeEngine(WRONG)), words(answer), mode="sentence")
    text = events[-1].guarded.text
    assert joined(events) == text
    assert text.startswith("The mayor of Fennick ordered it himself, they say.[^g1] Larkmoor")
    assert "ordered the closure himself.[^g2] The long repair" in text
    assert text.endswith("\n[^g2]: Not supported by the sources: scripted: unsupported")


def test_a_block_ends_the_stream_and_closes_the_source():
    guard = Guard(policy=BLOCK.with_(messages={"en": "Stopped."}), engine=FakeEngine(WRONG))
    long = DAM + " More was said about the lake and its fish." * 60
    for events, source in each_way(guard, lambda: Source(words(long)), mode="sentence"):
        guarded = events[-1].guarded
        assert joined(events) == guarded.text
        assert guarded.text == (
            "Larkmoor Dam was closed to all visitors on 4 May 2021. "
            "Divers found a deep crack in the old spillway gate.\n\nStopped."
        )
        assert guarded.action is Action.BLOCK
        assert source.closed
        assert [e.action for e in events if isinstance(e, Withheld)] == [Action.BLOCK]
    sync = Source(words(long))
    collect(guard, sync.sync(), mode="sentence")
    assert sync.read < len(sync.deltas) / 4


def test_the_source_is_closed_before_the_message_of_a_block():
    source = Source(words(DAM))
    for event in guarded_stream(
        Guard(policy=BLOCK, engine=FakeEngine(WRONG)), source.sync(), PASSAGES, mode="sentence"
    ):
        if isinstance(event, Withheld):
            assert source.closed


def test_a_block_at_the_first_segment_says_only_the_message():
    guard = Guard(policy=BLOCK, engine=FakeEngine({"visitors": "contradicted"}))
    events = collect(guard, words("Sure! " + DAM), mode="sentence")
    assert joined(events) == events[-1].guarded.text == guard.run("Sure! " + DAM, PASSAGES).text


def test_what_is_redacted_as_a_whole_is_blocked_heading_included():
    answer = "## The dam\n\nThe mayor ordered it. The mayor then left the old town for good.\n\nThe mayor lied."
    guard = Guard(policy=REDACT, engine=FakeEngine(WRONG))
    events = collect(guard, words(answer), mode="sentence")
    assert joined(events) == guard.run(answer, PASSAGES).text
    assert events[-1].guarded.action is Action.BLOCK


@pytest.mark.parametrize(("fail", "action"), [("closed", Action.BLOCK), ("open", Action.FLAG)])
def test_what_nobody_could_judge_follows_fail(fail, action):
    guard = Guard(policy=Policy(fail=fail), engine=FakeEngine({"mayor": "unverified"}))
    events = collect(guard, words(DAM), mode="sentence")
    assert events[-1].guarded.action is action
    assert ("mayor" in joined(events)) == (fail == "open")


def test_an_engine_that_fails_midway_leaves_the_rest_unverified():
    guard = Guard(policy=Policy(fail="closed"), engine=FakeEngine({"mayor": EngineError("down")}))
    for events, _ in each_way(guard, lambda: Source(words(DAM)), mode="sentence"):
        assert joined(events).startswith("Larkmoor Dam was closed")
        assert "mayor" not in joined(events)
        assert events[-1].guarded.action is Action.BLOCK


# Repair.


def test_a_fault_before_anything_left_is_repaired_as_a_whole():
    guard = Guard(policy=Policy.repair().with_(deadline=None), engine=FakeEngine(WRONG))
    wrong = (
        "The mayor of Fennick secretly ordered it himself. "
        + DAM.split(". ", maxsplit=1)[0]
        + ". It was a sunny day there."
    )
    right = "Larkmoor Dam was closed in 2021."
    for events, source in each_way(guard, lambda: Source(words(wrong)), mode="sentence", regenerate=lambda _: right):
        assert joined(events) == events[-1].guarded.text == right
        assert events[-1].guarded.attempts == 2
        assert source.read == len(source.deltas)


def test_a_fault_after_something_left_is_taken_out_instead():
    guard = Guard(policy=Policy.repair().with_(deadline=None), engine=FakeEngine(WRONG))
    events = collect(guard, words(DAM), mode="sentence", regenerate=lambda _: pytest.fail("too late"))
    guarded = events[-1].guarded
    assert joined(events) == guarded.text == Guard(policy=REDACT, engine=FakeEngine(WRONG)).run(DAM, PASSAGES).text
    assert guarded.action is Action.REDACT
    assert guarded.exhausted


def test_buffer_repairs():
    guard = Guard(policy=Policy.repair().with_(deadline=None), engine=FakeEngine(WRONG))
    events = collect(guard, words(DAM), regenerate=lambda _: "Larkmoor Dam was closed in 2021.")
    assert joined(events) == "Larkmoor Dam was closed in 2021."
    assert events[-1].guarded.original.answer == DAM


# Verdicts that depend on what is to come.


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

        return Part(own=(True,) * len(request.segments), rows=rows)

    def verify(self, request):
        part = self.read_part(request)
        return SupportMatrix(rows=part.rows(len(request.segments)))


def test_a_verdict_that_may_still_change_is_waited_for():
    first, second, _, last = DAM.split(". ")
    late = f"{second}. {first}. {last}"
    for answer in (late, f"{second}. {first}.", DAM):
        guard = Guard(policy=BLOCK, engine=(engine := Growing()))
        events = collect(guard, words(answer), mode="sentence")
        assert joined(events) == guard.run(answer, PASSAGES).text
        assert len(engine.read) == 2 * len(guard.check(answer, PASSAGES).findings)  # each once per run
    source = Source(words(late))
    stream = guarded_stream(Guard(policy=BLOCK, engine=Growing()), source.sync(), PASSAGES, mode="sentence")
    assert next(stream).finding.text.startswith("Divers")
    assert source.read == len(source.deltas)  # the third segment is what it waited for


def test_namesakes_are_judged_when_the_answer_is_whole():
    passages = [
        Passage(id="a", title="Dick Hanley (swimmer)", text="Dick Hanley (born 1936) is an American swimmer."),
        Passage(id="b", title="Dick Hanley (American football)", text="Dick Hanley (1894-1970) was a football coach."),
    ]
    answer = "Dick Hanley was an American football coach. He won a medal in swimming. He was born in 1936, they say."
    source = Source(words(answer))
    for event in guarded_stream(Guard(engine=FakeEngine()), source.sync(), passages, mode="sentence"):
        assert source.read == len(source.deltas), event


# What is settled.


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
    until = settled_until(text, 0, None, ())
    assert text[:until].removeprefix("- ") == settled


# The caller's side.


def test_passages_may_come_late_and_are_asked_for_once():
    asked = []

    def late():
        asked.append(source.read)
        return PASSAGES

    source = Source(words(DAM))
    events = collect(Guard(engine=FakeEngine()), source.sync(), late, mode="sentence")
    assert joined(events) == DAM
    assert len(asked) == 1
    assert 9 < asked[0] < len(source.deltas)


def test_a_coroutine_function_gives_passages_to_an_async_stream_only():
    async def late():
        return PASSAGES

    events = asyncio.run(acollect(Guard(engine=FakeEngine()), Source(words(DAM)).stream(), late, mode="sentence"))
    assert joined(events) == DAM
    with pytest.raises(UsageError, match="astream"):
        collect(Guard(engine=FakeEngine()), words(DAM), late)


@pytest.mark.parametrize("mode", ["buffer", "sentence", "observe"])
def test_a_callable_without_passages_is_an_error(mode):
    source = Source(words(DAM))
    with pytest.raises(UsageError, match="passages must be a list"):
        collect(Guard(engine=FakeEngine()), source.sync(), lambda: None, mode=mode)
    assert source.closed


def test_wrong_arguments_are_errors_at_once():
    guard = Guard(engine=FakeEngine())
    with pytest.raises(UsageError, match="Did you mean 'sentence'"):
        guarded_stream(guard, [], PASSAGES, mode="sentences")
    with pytest.raises(UsageError, match="iterable of str"):
        guarded_stream(guard, DAM, PASSAGES)
    with pytest.raises(UsageError, match="async iterable"):
        aguarded_stream(guard, words(DAM), PASSAGES)
    with pytest.raises(UsageError, match="deltas must be str, got int"):
        collect(guard, ["a", 1], mode="sentence")


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_an_error_of_the_source_passes_and_unchecked_text_does_not(mode):
    text = DAM[: DAM.index("secretly")]
    guard = Guard(engine=FakeEngine())

    def sync():
        for event in guarded_stream(guard, Source(words(text), KeyError("gone")).sync(), PASSAGES, mode=mode):
            seen.append(event)  # noqa: PERF402  see below

    async def awaited():
        async for event in aguarded_stream(guard, Source(words(text), KeyError("gone")).stream(), PASSAGES, mode=mode):
            seen.append(event)  # noqa: PERF401  what came before the error counts

    for run in (sync, lambda: asyncio.run(awaited())):
        seen: list[object] = []
        with pytest.raises(KeyError, match="gone"):
            run()
        assert joined(seen) in (("", DAM[: DAM.index(" Divers")]) if mode == "sentence" else ("",))
        assert not any(isinstance(e, Finished) for e in seen)


def test_a_consumer_that_stops_closes_the_source():
    source = Source(words(DAM))
    deltas = source.sync()  # held here, so that nobody else closes it
    stream = guarded_stream(Guard(engine=FakeEngine()), deltas, PASSAGES, mode="sentence")
    next(stream)
    assert not source.closed
    stream.close()
    assert source.closed


def test_an_async_consumer_that_stops_closes_the_source_and_leaves_no_task():
    async def scenario(how):
        source = Source(words(DAM) * 50)
        stream = aguarded_stream(Guard(engine=FakeEngine(seconds=0.02)), source.stream(), PASSAGES, mode="sentence")
        if how == "never started":
            await stream.aclose()
        elif how == "closed":
            await anext(stream)
            await stream.aclose()
        else:
            task = asyncio.create_task(_exhaust(stream))
            await asyncio.sleep(0.03)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert source.closed or how == "never started"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    for how in ("closed", "cancelled", "never started"):
        asyncio.run(scenario(how))


async def _exhaust(stream):
    return [event async for event in stream]


def test_text_is_read_on_while_some_is_checked_and_checked_in_batches():
    async def scenario():
        source = Source(words(DAM + " " + DAM.replace("Larkmoor", "Fennick").replace("euros", "francs")))
        engine = FakeEngine(seconds=0.1)
        stream = aguarded_stream(Guard(engine=engine), source.stream(), PASSAGES, mode="sentence")
        return source, engine, [source.read async for event in stream if isinstance(event, Delta)]

    source, engine, progress = asyncio.run(scenario())
    assert progress[0] == len(source.deltas)  # all was read during the first check
    assert len(engine.calls) <= 3
    assert len(engine.calls[0].segments) < 3


def test_a_slow_consumer_slows_the_source():
    async def scenario():
        source = Source(["The lake is blue and deep. "] * 5_000)
        stream = aguarded_stream(Guard(engine=FakeEngine()), source.stream(), PASSAGES, mode="observe")
        await anext(stream)
        await asyncio.sleep(0.2)
        read = source.read
        await stream.aclose()
        return read

    assert asyncio.run(scenario()) <= AHEAD + 2


def test_a_long_answer_is_not_taken_apart_anew_for_each_sentence():
    sentences = [f"The water of lake {n} is deep. " for n in range(150)]
    engine = FakeEngine()
    events = collect(Guard(policy=Policy.monitor(), engine=engine), sentences, mode="sentence")
    assert joined(events) == "".join(sentences)
    assert 40 < len(engine.calls) < 100


def test_empty_lines_without_end_cost_next_to_nothing():
    started = time.monotonic()
    collect(Guard(policy=Policy.monitor(), engine=FakeEngine()), ["\n"] * 4000, mode="sentence")
    assert time.monotonic() - started < 3


def test_streams_do_not_share_anything():
    guard = Guard(policy=REDACT, engine=Coin())
    answers = [answer for answer in ANSWERS if len(answer) > 100] * 4
    expected = [guard.run(answer, PASSAGES).text for answer in answers]

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


def test_the_guard_streams():
    guard = Guard(policy=REDACT, engine=FakeEngine(WRONG))
    assert joined(guard.stream(words(DAM), PASSAGES, mode="sentence")) == guard.run(DAM, PASSAGES).text
    assert "mayor" in joined(guard.stream(words(DAM), PASSAGES, mode="sentence", policy=Policy.monitor()))

    async def awaited():
        return [event async for event in guard.astream(Source(words(DAM)).stream(), PASSAGES)]

    assert joined(asyncio.run(awaited())) == guard.run(DAM, PASSAGES).text
