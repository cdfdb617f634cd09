"""Guards that repair, and generators that follow a script."""

from __future__ import annotations

import asyncio
import threading

from guardrail import Guard, Policy
from guardrail.repair.feedback import Feedback
from guardrail.testing import FakeEngine

PASSAGES = ["The dam is 64 metres high.", "It was opened in 1963."]
VERDICTS = {"Halloway": "contradicted", "mayor": "unsupported", "queen": "unverified"}
RIGHT = "The dam is 64 metres high."
WRONG = "The dam is 64 metres high. Rita Halloway built it."
REGENERATE = Policy(
    actions={"contradicted": "regenerate", "unsupported": "regenerate"}, on_exhausted="redact", max_attempts=3
)


def guard(policy=REGENERATE, **more):
    return Guard(policy=policy, engine=FakeEngine(VERDICTS), **more)


class Says:
    """A generator that gives these replies in turn, and keeps what it was told."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.told: list[Feedback] = []
        self.threads: list[threading.Thread] = []

    def __call__(self, feedback):
        self.told.append(feedback)
        self.threads.append(threading.current_thread())
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    def rewrite(self, feedback):
        return self(feedback)


REWRITE = REGENERATE.with_(actions={"contradicted": "rewrite", "unsupported": "rewrite"})


class Awaited(Says):
    """The same as an object whose call is awaited."""

    async def __call__(self, feedback):
        await asyncio.sleep(0)
        return super().__call__(feedback)

    async def arewrite(self, feedback):
        await asyncio.sleep(0)
        return Says.__call__(self, feedback)

    rewrite = None


def in_time(work):
    """A reply that never comes fails the test instead of stopping it."""
    return asyncio.run(asyncio.wait_for(work, 20.0))


def run_sync(says, **more):
    return guard(**more).run(WRONG, PASSAGES, regenerate=says)


def run_async_with_sync(says, **more):
    return in_time(guard(**more).arun(WRONG, PASSAGES, regenerate=says))
