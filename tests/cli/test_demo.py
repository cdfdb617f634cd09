"""``guardrail demo``."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from guardrail import Guard
from guardrail.cli.demo import plain_chain
from guardrail.cli.main import app
from guardrail.evaluation.data.demo_case import load_case
from guardrail.testing import FakeEngine


def test_every_question_has_an_answer_and_is_checked():
    lines = CliRunner().invoke(app, ["demo", "--json"]).output.splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(load_case().answers)


def test_a_chain_without_langchain_retrieves_by_words():
    case = load_case()
    ask = plain_chain(case, Guard(engine=FakeEngine()))
    for question, answer in case.answers.items():
        guarded = ask(question)
        assert guarded.report.answer == answer
        assert len(guarded.report.passages) == 3
