"""Functions of every kind that answer about a dam."""

from __future__ import annotations

import asyncio

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine

PASSAGES = ["The dam is 64 metres high.", "It was opened in 1963."]


RIGHT = "The dam is 64 metres high."


WRONG = "The dam is 64 metres high. Rita Halloway built it."


RAW = "Rita Halloway"


def guard(action="block", **more):
    policy = Policy(actions={"contradicted": action}, on_exhausted="block", max_attempts=3)
    return Guard(policy=policy, engine=FakeEngine({"Halloway": "contradicted"}), **more)


def sync(question, feedback=None):
    """How high is it?"""
    return (RIGHT if feedback else WRONG), PASSAGES


async def awaited(question, feedback=None):
    """How high is it?"""
    await asyncio.sleep(0)
    return sync(question, feedback)
