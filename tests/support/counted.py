"""Guards whose metrics are looked at."""

from guardrail import Guard, Passage, Policy
from guardrail.testing import FakeEngine

ANSWER = "The dam was closed in May. It reopened in July because the crack was mended."
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
FAULTY = FakeEngine({"because": "contradicted"}, default="supported")


def guard(watched, policy=None, engine=FAULTY, **settings):
    return Guard(policy=policy or Policy.monitor(), engine=engine, telemetry=watched.set_up(**settings))
