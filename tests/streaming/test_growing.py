"""A text that grows: only new sentences are read, and what left is never taken back."""

import asyncio

import pytest

from guardrail import Guard, Policy
from guardrail.engines.local.engine import LocalEngine
from guardrail.streaming.growing import Growing
from guardrail.testing import FakeEngine
from guardrail.types import Action, Passage
from tests.support.checks import AsyncFake
from tests.support.dialect_server import SOURCE, VERDICTS

ANSWER = (
    "The dam is 64 metres high and holds back the river Orn. Rita Halloway built it with two hundred workers. "
    "It was opened in 1963 after a long time of building. The road on top of it is closed to all traffic in winter. "
    "Visitors may see the turbines on every first Sunday of the month."
)
PASSAGES = (Passage(text=SOURCE, id="1"),)


def growing(action="redact", engine=None, passages=PASSAGES):
    policy = Policy(name="p", actions={"contradicted": action}, fail="open")
    return Growing(Guard(policy=policy, engine=engine or FakeEngine(VERDICTS)), passages, None)


def samples(text, step=37):
    return [text[:end] for end in range(step, len(text), step)] + [text]


def read(engine):
    return [segment.text for call in engine.calls for segment in call.segments]


def test_each_settled_sentence_is_read_once():
    engine = FakeEngine(VERDICTS)
    answer = growing(engine=engine)
    for sample in samples(ANSWER):
        answer.sample(sample)
    texts = read(engine)
    whole = [text for text in texts if text.endswith(".")]
    assert len(whole) == len(set(whole)) == 5
    assert len(texts) <= len(samples(ANSWER)) + 5  # besides them only the sentence that each sample breaks off


@pytest.mark.parametrize("action", ["allow", "annotate", "redact"])
def test_what_is_settled_is_the_beginning_of_all_that_follows(action):
    answer = growing(action)
    left = ""
    for sample in samples(ANSWER, step=11):
        grown = answer.sample(sample)
        assert grown.text.startswith(left)
        left = grown.text[: grown.settled]
    assert left
    assert answer.sample(ANSWER).text == growing(action).guard.run(ANSWER, PASSAGES).text


def test_the_bad_sentence_never_leaves():
    answer = growing("redact")
    for sample in samples(ANSWER, step=5):
        grown = answer.sample(sample)
        assert "Halloway" not in grown.text[: grown.settled]


def test_blocked_once_the_sentence_is_whole():
    answer = growing("block")
    blocked = [answer.sample(sample).blocked for sample in samples(ANSWER, step=5)]
    first = blocked.index(True)
    assert blocked[-1]
    assert len(samples(ANSWER, step=5)[first]) >= ANSWER.index("workers.") + 8


def test_an_unfinished_bad_sentence_is_held_and_replaced():
    grown = growing("block").sample("The dam is 64 metres high. Rita Halloway")
    assert not grown.blocked
    assert grown.guarded.action is Action.BLOCK
    assert "Halloway" not in grown.text


def test_an_engine_that_is_awaited_does_the_same():
    engine = FakeEngine(VERDICTS)
    answer, plain = growing(engine=AsyncFake(engine)), growing()

    async def all_of_it():
        return [await answer.asample(sample) for sample in samples(ANSWER)]

    awaited = asyncio.run(all_of_it())
    assert [(g.text, g.settled) for g in awaited] == [
        (g.text, g.settled) for g in (plain.sample(sample) for sample in samples(ANSWER))
    ]
    whole = [text for text in read(engine) if text.endswith(".")]
    assert len(whole) == len(set(whole))


def test_the_local_engine_reads_and_decides_the_same_as_at_once():
    passages = (Passage(text="The Orn dam is 64 metres high. It was opened in 1963. Anna Vogt built it.", id="1"),)
    policy = Policy(name="p", actions={"contradicted": "redact", "unsupported": "redact"}, fail="open")
    guard = Guard(policy=policy, engine=LocalEngine())
    text = "The Orn dam is 64 metres high. It was opened in 1971 by the king of the country. Anna Vogt built the dam."
    answer = Growing(guard, passages, None)
    left = ""
    for sample in samples(text, step=20):
        grown = answer.sample(sample)
        assert grown.text.startswith(left)
        left = grown.text[: grown.settled]
    assert grown.text == guard.run(text, passages).text
    assert "1971" not in grown.text
