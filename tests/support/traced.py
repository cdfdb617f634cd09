"""Guards whose spans are looked at."""

import asyncio

from guardrail import Guard, Passage, Policy
from guardrail.testing import FakeEngine

ANSWER = "The dam was closed in May. It reopened in July because the crack was mended."
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
REGENERATE = Policy(actions={"unsupported": "regenerate"}, max_attempts=3)


def wrong(text="because"):
    """An engine that finds fault with segments that hold a word."""
    return FakeEngine({text: "unsupported"}, default="supported")


def guard(watched, policy=None, engine=None, **settings):
    return Guard(policy=policy or Policy.monitor(), engine=engine or wrong(), telemetry=watched.set_up(**settings))


WAYS = {
    "run": lambda g, **more: g.run(ANSWER, PASSAGES, question="When?", **more),
    "arun": lambda g, **more: asyncio.run(g.arun(ANSWER, PASSAGES, question="When?", **more)),
    "stream": lambda g, **more: list(g.stream(iter([ANSWER]), PASSAGES, question="When?", **more))[-1].guarded,
}
