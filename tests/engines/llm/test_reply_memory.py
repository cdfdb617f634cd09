"""What was judged is remembered, by its words and never by its number."""

import json
from dataclasses import replace
from typing import Any

import pytest

from guardrail.engines.llm import plans
from guardrail.engines.llm.caches.memory import MemoryCache
from tests.support.llm_plans import ANSWER, PASSAGES, SETTING, judge, request, run, verdicts


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
