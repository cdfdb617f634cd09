"""What was judged is remembered, by its words and never by its number."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from guardrail.check.contract import VerifyRequest
from guardrail.check.decompose import decompose
from guardrail.check.matrix import validated
from guardrail.engines.llm import plans
from guardrail.engines.llm.caches.memory import MemoryCache
from guardrail.engines.llm.plans import Setting
from guardrail.engines.llm.prompts import unfence
from guardrail.engines.llm.protocol import Completion, LLMError, Prompt
from guardrail.types import Passage, SupportMatrix

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
    if prompt.identity.startswith("logic"):
        return {"id": items(prompt)[0]["id"], "logic": LOGIC}
    return {"segments": [unsupported(segment) for segment in items(prompt)]}


def verdicts(asked: VerifyRequest, matrix: SupportMatrix) -> list[str]:
    rows = validated(asked, matrix).rows
    return ["unverified" if row.unverified else "supported" if row.supported > 0.5 else "not" for row in rows]


@pytest.mark.parametrize("plan", [plans.judge_all, plans.judge_each])
def test_what_was_judged_is_remembered_by_its_words_not_by_its_number(plan: Any) -> None:
    setting = replace(SETTING, cache=MemoryCache())
    first, rounds = run(plan(request(), setting), judge)
    again, none = run(plan(request(), setting), judge)
    assert (len(rounds), none) == (1, [])
    assert again.rows == first.rows
    assert again.usage.cache_hits == 5
    shorter = request(ANSWER.split(". ", 1)[1])  # the same segments one number lower
    matrix, none = run(plan(shorter, setting), judge)
    assert none == []
    assert verdicts(shorter, matrix) == ["not"] * 4


@pytest.mark.parametrize("other", [{"model": "another"}, {"language": "zh"}])
def test_another_model_or_other_instructions_remember_nothing(other: dict[str, str]) -> None:
    cache = MemoryCache()
    run(plans.judge_all(request(), replace(SETTING, cache=cache)), judge)
    _, rounds = run(plans.judge_all(request(), replace(SETTING, cache=cache, **other)), judge)
    assert len(rounds) == 1


def test_other_passages_remember_nothing() -> None:
    setting = replace(SETTING, cache=MemoryCache())
    run(plans.judge_all(request(), setting), judge)
    _, rounds = run(plans.judge_all(replace(request(), passages=PASSAGES[::-1]), setting), judge)
    assert len(rounds) == 1


def test_what_could_not_be_judged_is_not_remembered() -> None:
    setting = replace(SETTING, cache=MemoryCache())
    run(plans.judge_all(request(), setting), lambda _: "nothing")
    _, rounds = run(plans.judge_all(request(), setting), judge)
    assert len(rounds) == 1


class Poisoned:
    """A cache in which somebody else has written, or that is broken."""

    def __init__(self, value: str | None = None) -> None:
        self._value = value

    def get(self, key: str) -> str | None:
        if self._value is None:
            raise OSError(key)
        return self._value

    def set(self, key: str, value: str) -> None:
        raise OSError(key, value)


SUPPORTED = {"points": [{"id": "", "quotes": [], "labels": "d1:S d2:N", "verdict": "supported", "confidence": "high"}]}


@pytest.mark.parametrize("value", [None, "", "nonsense", "[]", '{"points": 1}', json.dumps(SUPPORTED)])
def test_a_cache_that_is_broken_or_poisoned_changes_no_verdict(value: str | None) -> None:
    asked = request()
    matrix, _ = run(plans.judge_all(asked, replace(SETTING, cache=Poisoned(value))), judge)
    assert "supported" not in verdicts(asked, matrix)
    assert verdicts(asked, matrix).count("not") == 5


def test_what_a_cache_holds_and_nobody_can_use_is_no_hit() -> None:
    poisoned = Poisoned(json.dumps({"points": [{"verdict": "supported"}]}))
    matrix, rounds = run(plans.judge_all(request(), replace(SETTING, cache=poisoned)), judge)
    assert (matrix.usage.cache_hits, len(rounds)) == (0, 1)
