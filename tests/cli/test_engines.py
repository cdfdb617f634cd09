"""Options that name the engine."""

from __future__ import annotations

import pytest

from guardrail import Policy, UsageError
from guardrail.cli.engines import EngineChoice, usage_line, warn_unjudged
from guardrail.types import Usage


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "gpt"}, "--model applies to --engine llm or cascade"),
        ({"name": "llm"}, "needs --model"),
        ({"name": "llm:a", "model": "b"}, "both name a model"),
        ({"name": "llm:a", "price_in": 1.0}, "costs need both"),
    ],
)
def test_options_that_say_nothing_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        EngineChoice(**options).build(Policy.monitor())


def test_answers_are_judged_at_once_where_a_model_is_asked():
    assert (EngineChoice().at_once, EngineChoice(name="cascade").at_once, EngineChoice(jobs=3).at_once) == (1, 8, 3)


def test_usage_is_told_in_one_line():
    line = usage_line(Usage(calls=3, rounds=2, retries=1, input_tokens=10, output_tokens=4, cost=0.5), 2)
    assert line == "2 answers, 3 calls in 2 rounds, 1 of them retries, 10 tokens in, 4 out, cost 0.5000, 0 cache hits"


def test_most_answers_unjudged_is_a_warning(capsys):
    warn_unjudged({None: 2, "wrong key": 1})
    assert capsys.readouterr().err == ""
    warn_unjudged({None: 1, "wrong key": 2})
    assert capsys.readouterr().err == "warning: 2 of 3 answers could not be judged: wrong key\n"
