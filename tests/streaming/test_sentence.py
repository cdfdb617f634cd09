"""What leaves, when, and that nothing unchecked does."""

from __future__ import annotations

import asyncio
import threading

import pytest

from guardrail import Action, Guard, Policy
from guardrail.errors import EngineError
from guardrail.streaming import Delta, Withheld, aguarded_stream, guarded_stream, sentence
from guardrail.streaming.memory import Memory
from guardrail.testing import FakeEngine

REDACT = Policy(
    name="redact", actions=dict.fromkeys(("contradicted", "unsupported", "unverified"), "redact"), deadline=None
)
BLOCK = Policy.strict().with_(deadline=None)
WRONG = {"mayor": "unsupported"}


def test_buffer_lets_nothing_leave_before_the_end(passages, dam, source_of, words):
    source = source_of(words(dam))
    for event in guarded_stream(Guard(engine=FakeEngine()), source.sync(), passages):
        assert source.closed or source.read == len(source.deltas), event
    assert source.closed


def test_a_sentence_leaves_while_the_next_is_still_coming(passages, dam, source_of, words):
    source = source_of(words(dam))
    stream = guarded_stream(Guard(engine=FakeEngine()), source.sync(), passages, mode="sentence")
    first = next(e for e in stream if isinstance(e, Delta))
    assert first == Delta("Larkmoor Dam was closed to all visitors on 4 May 2021.", verified=True)
    assert source.read < len(source.deltas) / 2


def test_the_event_loop_does_not_wait_while_an_answer_is_taken_apart(monkeypatch, passages, dam, source_of, words):
    """It grows, and so does the work of finding out what of it is settled, and of judging it again."""
    workers = []

    def noting(work):
        def noted(*args):
            workers.append(threading.current_thread())
            return work(*args)

        return noted

    monkeypatch.setattr(sentence, "stable_until", noting(sentence.stable_until))
    monkeypatch.setattr(Memory, "_matrix", noting(Memory._matrix))

    async def read():
        deltas = source_of(words(dam)).stream()
        return [e async for e in aguarded_stream(Guard(engine=FakeEngine()), deltas, passages, mode="sentence")]

    assert asyncio.run(read())
    assert len(workers) > 4
    assert threading.main_thread() not in workers


def test_no_delta_comes_before_the_engine_has_seen_it(passages, dam, words):
    engine = FakeEngine()
    text = ""
    for event in guarded_stream(Guard(engine=engine), words(dam), passages, mode="sentence"):
        if isinstance(event, Delta):
            text += event.text
            seen = " ".join(segment.text for call in engine.calls for segment in call.segments)
            assert text.strip() in seen
    assert text == dam
    read = [segment.text for call in engine.calls for segment in call.segments]
    assert len(read) == len(set(read)) == 4  # each once


def test_notes_keep_their_marks_where_the_answer_has_such_marks_later(dam, words, joined, collect):
    answer = f"The mayor of Fennick ordered it himself, they say. {dam} See the notes.[^g1]\n\n[^g1]: A leaflet."
    events = collect(Guard(policy=Policy.annotate(), engine=FakeEngine(WRONG)), words(answer), mode="sentence")
    text = events[-1].guarded.text
    assert joined(events) == text
    assert text.startswith("The mayor of Fennick ordered it himself, they say.[^g1] Larkmoor")
    assert "ordered the closure himself.[^g2] The long repair" in text
    assert text.endswith("\n[^g2]: Not supported by the sources: scripted: unsupported")


def test_a_block_ends_the_stream_and_closes_the_source(dam, source_of, words, joined, collect, each_way):
    guard = Guard(policy=BLOCK.with_(messages={"en": "Stopped."}), engine=FakeEngine(WRONG))
    long = dam + " More was said about the lake and its fish." * 60
    for events, source in each_way(guard, lambda: source_of(words(long)), mode="sentence"):
        guarded = events[-1].guarded
        assert joined(events) == guarded.text
        assert guarded.text == (
            "Larkmoor Dam was closed to all visitors on 4 May 2021. "
            "Divers found a deep crack in the old spillway gate.\n\nStopped."
        )
        assert guarded.action is Action.BLOCK
        assert source.closed
        assert [e.action for e in events if isinstance(e, Withheld)] == [Action.BLOCK]
    sync = source_of(words(long))
    collect(guard, sync.sync(), mode="sentence")
    assert sync.read < len(sync.deltas) / 4


def test_the_source_is_closed_before_the_message_of_a_block(passages, dam, source_of, words):
    source = source_of(words(dam))
    for event in guarded_stream(
        Guard(policy=BLOCK, engine=FakeEngine(WRONG)), source.sync(), passages, mode="sentence"
    ):
        if isinstance(event, Withheld):
            assert source.closed


def test_a_block_at_the_first_segment_says_only_the_message(passages, dam, words, joined, collect):
    guard = Guard(policy=BLOCK, engine=FakeEngine({"visitors": "contradicted"}))
    events = collect(guard, words("Sure! " + dam), mode="sentence")
    assert joined(events) == events[-1].guarded.text == guard.run("Sure! " + dam, passages).text


def test_what_is_redacted_as_a_whole_is_blocked_heading_included(passages, words, joined, collect):
    answer = "## The dam\n\nThe mayor ordered it. The mayor then left the old town for good.\n\nThe mayor lied."
    guard = Guard(policy=REDACT, engine=FakeEngine(WRONG))
    events = collect(guard, words(answer), mode="sentence")
    assert joined(events) == guard.run(answer, passages).text
    assert events[-1].guarded.action is Action.BLOCK


@pytest.mark.parametrize(("fail", "action"), [("closed", Action.BLOCK), ("open", Action.FLAG)])
def test_what_nobody_could_judge_follows_fail(fail, action, dam, words, joined, collect):
    guard = Guard(policy=Policy(fail=fail), engine=FakeEngine({"mayor": "unverified"}))
    events = collect(guard, words(dam), mode="sentence")
    assert events[-1].guarded.action is action
    assert ("mayor" in joined(events)) == (fail == "open")


def test_an_engine_that_fails_midway_leaves_the_rest_unverified(dam, source_of, words, joined, each_way):
    guard = Guard(policy=Policy(fail="closed"), engine=FakeEngine({"mayor": EngineError("down")}))
    for events, _ in each_way(guard, lambda: source_of(words(dam)), mode="sentence"):
        assert joined(events).startswith("Larkmoor Dam was closed")
        assert "mayor" not in joined(events)
        assert events[-1].guarded.action is Action.BLOCK


def test_a_fault_before_anything_left_is_repaired_as_a_whole(dam, source_of, words, joined, each_way):
    guard = Guard(policy=Policy.repair().with_(deadline=None), engine=FakeEngine(WRONG))
    wrong = (
        "The mayor of Fennick secretly ordered it himself. "
        + dam.split(". ", maxsplit=1)[0]
        + ". It was a sunny day there."
    )
    right = "Larkmoor Dam was closed in 2021."
    for events, source in each_way(guard, lambda: source_of(words(wrong)), mode="sentence", regenerate=lambda _: right):
        assert joined(events) == events[-1].guarded.text == right
        assert events[-1].guarded.attempts == 2
        assert source.read == len(source.deltas)


def test_a_fault_after_something_left_is_taken_out_instead(passages, dam, words, joined, collect):
    guard = Guard(policy=Policy.repair().with_(deadline=None), engine=FakeEngine(WRONG))
    events = collect(guard, words(dam), mode="sentence", regenerate=lambda _: pytest.fail("too late"))
    guarded = events[-1].guarded
    assert joined(events) == guarded.text == Guard(policy=REDACT, engine=FakeEngine(WRONG)).run(dam, passages).text
    assert guarded.action is Action.REDACT
    assert guarded.exhausted


def test_buffer_repairs(dam, words, joined, collect):
    guard = Guard(policy=Policy.repair().with_(deadline=None), engine=FakeEngine(WRONG))
    events = collect(guard, words(dam), regenerate=lambda _: "Larkmoor Dam was closed in 2021.")
    assert joined(events) == "Larkmoor Dam was closed in 2021."
    assert events[-1].guarded.original.answer == dam


def test_the_guard_streams(passages, dam, source_of, words, joined):
    guard = Guard(policy=REDACT, engine=FakeEngine(WRONG))
    assert joined(guard.stream(words(dam), passages, mode="sentence")) == guard.run(dam, passages).text
    assert "mayor" in joined(guard.stream(words(dam), passages, mode="sentence", policy=Policy.monitor()))

    async def awaited():
        return [event async for event in guard.astream(source_of(words(dam)).stream(), passages)]

    assert joined(asyncio.run(awaited())) == guard.run(dam, passages).text
