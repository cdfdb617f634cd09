"""A request, a plan driven by a script, and a judge whose verdicts are all the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from guardrail.check.contract import VerifyRequest
from guardrail.check.decompose import decompose
from guardrail.check.matrix import validated
from guardrail.engines.llm.plans import Setting
from guardrail.engines.llm.protocol import Completion, LLMError, Prompt
from guardrail.types import Passage, SupportMatrix
from tests.support.fences import unfence
from tests.support.short_replies import shortened

ANSWER = (
    "Larkmoor Dam is 64 metres high. The reservoir is large because the dam is high. It was built by Rita Halloway. "
    "All turbines were replaced in 1999. The road across the dam is closed."
)


PASSAGES = tuple(
    Passage(id=f"p{n}", text=text) for n, text in enumerate(["Larkmoor Dam is 64 metres high.", "Bees dance."])
)


SETTING = Setting(language="en", model="scripted")


Script = Callable[[Prompt], Any]


def request(answer: str = ANSWER, **other: Any) -> VerifyRequest:
    return VerifyRequest(segments=decompose(answer).checked, passages=PASSAGES, **other)


def run(steps: Any, script: Script) -> tuple[Any, list[list[Prompt]]]:
    """Drive a plan; the script returns JSON, text, a Completion or an LLMError."""
    rounds: list[list[Prompt]] = []
    replies: tuple[Any, ...] | None = None
    while True:
        try:
            prompts = next(steps) if replies is None else steps.send(replies)
        except StopIteration as stop:
            return stop.value, rounds
        assert prompts
        rounds.append(list(prompts))
        replies = tuple(map(_reply, map(script, prompts)))


def _reply(said: Any) -> Any:
    if isinstance(said, (LLMError, Completion)):
        return said
    return Completion(text=said if isinstance(said, str) else json.dumps(said))


def items(prompt: Prompt) -> list[dict[str, Any]]:
    segments: list[dict[str, Any]] = unfence(prompt.user)["segments"]
    return segments


def unsupported(segment: dict[str, Any]) -> dict[str, Any]:
    points = [
        {"id": p["id"], "analysis": "", "quotes": [], "labels": "d1:N d2:N", "verdict": "unsupported",
         "confidence": "high", "error": "hallucination"}
        for p in segment["points"]
    ]  # fmt: skip
    return {"id": segment["id"], "points": points, "logic": LOGIC if segment["relation"] else None}


LOGIC = {"quotes": [], "comparison": "", "verdict": "unlicensed", "error": "causal_confusion"}


def judge(prompt: Prompt) -> Any:
    said = {"segments": [unsupported(segment) for segment in items(prompt)]}
    return shortened(prompt.identity.partition(".")[0], said)


def verdicts(asked: VerifyRequest, matrix: SupportMatrix) -> list[str]:
    rows = validated(asked, matrix).rows
    return ["unverified" if row.unverified else "supported" if row.supported > 0.5 else "not" for row in rows]
