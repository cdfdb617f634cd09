"""Each method of the guard and its async twin, on the same inputs: they are one body, so they give the same."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import fields, is_dataclass, replace

import pytest

from guardrail import Guard, Passage, Policy, UsageError
from guardrail.check.contract import Draft
from guardrail.engines.cascade import CascadeEngine
from guardrail.testing import FakeEngine
from guardrail.types import Claim

ANSWER = (
    "The dam was opened in 1931. It is owned by Rita Halloway. The reservoir holds 40 million litres [1]. "
    "It floods because the river rises."
)
PASSAGES = [
    Passage(id="1", text="The dam was opened in 1931 and holds 40 million litres."),
    Passage(id="2", text="Melbourne Water owns the dam."),
]
VERDICTS = {"Halloway": "contradicted", "floods": "unsupported"}
CLAIMS = ["The dam was opened in 1931.", ("Rita Halloway", "owns", "the dam")]
RIGHT = "The dam was opened in 1931."


class Decomposes(FakeEngine):
    """Names each segment's text as its only claim."""

    def decompose(self, request):
        segments = tuple(
            replace(s, claims=(Claim(id=f"{s.id}.1", text=s.text, span=s.span),)) for s in request.parts.segments
        )
        return Draft(parts=replace(request.parts, segments=segments))


class DecomposesBadly(FakeEngine):
    """Loses all of the answer."""

    def decompose(self, request):
        return Draft(parts=replace(request.parts, segments=()))


class Looks:
    """A retriever that finds the passages, or breaks."""

    def __init__(self, error=None):
        self.error = error

    def retrieve(self, query, limit):
        if self.error is not None:
            raise self.error
        return [passage.text for passage in PASSAGES]


class Rewrites:
    """A rewriter that says what it is told to."""

    def __init__(self, text):
        self.text = text

    def rewrite(self, feedback):
        if isinstance(self.text, Exception):
            raise self.text
        return self.text


def policy(action):
    return Policy(actions={"unsupported": action, "contradicted": action}, max_attempts=3)


def cascade():
    return CascadeEngine(first=FakeEngine({"floods": "unverified"}), second=FakeEngine(VERDICTS))


GUARDS = {
    "scripted": lambda: Guard(engine=FakeEngine(VERDICTS)),
    "local": lambda: Guard(policy=Policy.repair()),
    "annotates": lambda: Guard(policy=policy("annotate"), engine=FakeEngine(VERDICTS)),
    "redacts": lambda: Guard(policy=policy("redact"), engine=FakeEngine(VERDICTS)),
    "blocks": lambda: Guard(policy=policy("block"), engine=FakeEngine(VERDICTS)),
    "decomposes": lambda: Guard(engine=Decomposes(VERDICTS)),
    "decomposes badly": lambda: Guard(engine=DecomposesBadly(VERDICTS)),
    "cascade": lambda: Guard(engine=cascade()),
    "engine fails": lambda: Guard(policy=Policy.strict(), engine=FakeEngine(default=RuntimeError("boom"))),
    "engine is late": lambda: Guard(engine=FakeEngine(default=TimeoutError())),
    "retriever": lambda: Guard(engine=FakeEngine(VERDICTS), retriever=Looks()),
    "retriever fails": lambda: Guard(engine=FakeEngine(VERDICTS), retriever=Looks(OSError("no route"))),
    "rewriter": lambda: Guard(policy=policy("rewrite"), engine=FakeEngine(VERDICTS), rewriter=Rewrites(RIGHT)),
    "rewriter fails": lambda: Guard(
        policy=policy("rewrite"), engine=FakeEngine(VERDICTS), rewriter=Rewrites(ValueError("no"))
    ),
    "local rewriter": lambda: Guard(policy=policy("rewrite"), engine=FakeEngine(VERDICTS)),
    "regenerates": lambda: Guard(policy=policy("regenerate"), engine=FakeEngine(VERDICTS)),
}

INPUTS = {
    "an answer": (ANSWER, PASSAGES, {}),
    "a question": (ANSWER, PASSAGES, {"question": "Who owns the dam?"}),
    "no passages": (ANSWER, [], {}),
    "claims": (ANSWER, PASSAGES, {"claims": CLAIMS}),
    "no claims": (ANSWER, PASSAGES, {"claims": []}),
    "an empty answer": ("", PASSAGES, {}),
    "a refusal": ("The passages do not say who owns the dam.", PASSAGES, {}),
    "namesakes": (
        "Jo Bell (swimmer) won a medal. Jo Bell won a medal.",
        [
            Passage(id="a", title="Jo Bell (swimmer)", text="Jo Bell is a swimmer who won a medal."),
            Passage(id="b", title="Jo Bell (painter)", text="Jo Bell is a painter."),
        ],
        {},
    ),
}


def untimed(value):
    """The same without what it took."""
    if isinstance(value, (tuple, list)):
        return [untimed(item) for item in value]
    if not is_dataclass(value):
        return value
    return type(value), {f.name: untimed(getattr(value, f.name)) for f in fields(value) if f.name != "seconds"}


def same(sync, awaited):
    """What both came to."""
    here, there = untimed(sync()), untimed(asyncio.run(awaited()))
    assert here == there
    return here


async def collected(events):
    return [event async for event in events]


async def pieces(text):
    for word in text.split(" "):
        yield f"{word} "


def generator(feedback):
    return RIGHT


@pytest.mark.parametrize("given", INPUTS)
@pytest.mark.parametrize("kind", GUARDS)
def test_check(kind, given):
    answer, passages, more = INPUTS[given]
    guard = GUARDS[kind]()
    same(lambda: guard.check(answer, passages, **more), lambda: guard.acheck(answer, passages, **more))


@pytest.mark.parametrize("regenerate", [None, generator], ids=["alone", "generator"])
@pytest.mark.parametrize("kind", GUARDS)
def test_run_and_repair(kind, regenerate):
    guard = GUARDS[kind]()
    same(
        lambda: guard.run(ANSWER, PASSAGES, regenerate=regenerate),
        lambda: guard.arun(ANSWER, PASSAGES, regenerate=regenerate),
    )
    report = guard.check(ANSWER, PASSAGES)
    repaired = same(
        lambda: guard.repair(report, regenerate=regenerate), lambda: guard.arepair(report, regenerate=regenerate)
    )
    assert repaired == untimed(guard.run(ANSWER, PASSAGES, regenerate=regenerate))


@pytest.mark.parametrize("kind", GUARDS)
def test_extract(kind):
    guard = GUARDS[kind]()
    assert same(lambda: guard.extract(ANSWER), lambda: guard.aextract(ANSWER))
    assert guard.draft(ANSWER).parts.segments == guard.extract(ANSWER)


@pytest.mark.parametrize("mode", ["buffer", "sentence", "observe"])
@pytest.mark.parametrize("kind", GUARDS)
def test_stream(kind, mode):
    """An async stream may check several sentences at once, so what is compared is the text and the end."""
    guard = GUARDS[kind]()
    deltas = [f"{word} " for word in ANSWER.split(" ")]
    here = list(guard.stream(deltas, PASSAGES, mode=mode, regenerate=generator))
    there = asyncio.run(collected(guard.astream(pieces(ANSWER), PASSAGES, mode=mode, regenerate=generator)))

    def told(events):
        text = "".join(getattr(event, "text", "") for event in events)
        return text, [type(event).__name__ for event in events if not hasattr(event, "text")], untimed(events[-1])

    (text, kinds, end), (other, others, last) = told(here), told(there)
    assert (text, kinds) == (other, others)
    assert without_usage(end) == without_usage(last)


def without_usage(value):
    """Rounds of checks are counted, and an async stream may need fewer."""
    if isinstance(value, list):
        return [without_usage(item) for item in value]
    if not isinstance(value, tuple):
        return value
    kind, held = value
    return kind, {name: without_usage(item) for name, item in held.items() if name != "usage"}


@pytest.mark.parametrize(
    "given",
    [(3, PASSAGES), (ANSWER, "text"), (ANSWER, [3]), (ANSWER, PASSAGES, 3)],
    ids=["answer", "str", "int", "question"],
)
def test_mistakes_are_the_same(given):
    answer, passages, *question = given
    guard = GUARDS["scripted"]()
    more = {"question": question[0]} if question else {}
    with pytest.raises(UsageError) as here:
        guard.check(answer, passages, **more)
    with pytest.raises(UsageError) as there:
        asyncio.run(guard.acheck(answer, passages, **more))
    assert (type(here.value), str(here.value)) == (type(there.value), str(there.value))


@pytest.mark.parametrize("name", ["check", "run", "repair", "extract", "stream"])
def test_twins_take_the_same_arguments(name):
    sync, awaited = (inspect.signature(getattr(Guard, each)) for each in (name, f"a{name}"))
    assert list(sync.parameters) == list(awaited.parameters)
    assert [p.default for p in sync.parameters.values()] == [p.default for p in awaited.parameters.values()]
