"""The calls of an engine that asks in batches: budgets hold as they do elsewhere."""

from __future__ import annotations

import pytest

from guardrail import Guard
from guardrail.engines.llm import BatchSettings, CallSettings, LLMEngine
from tests.support.batch_server import BatchServer
from tests.support.batched import PATIENT, causes, engine, model, rows
from tests.support.judge_script import ReadingJudge


@pytest.mark.parametrize(("most", "judged"), [(0, 0), (1, 0), (5, 2), (8, 4)])
def test_the_budget_holds_for_all_together(most, judged, tmp_path):
    with BatchServer(ReadingJudge()) as server:
        guard = Guard(engine=engine(server, "openai", tmp_path / "state"), policy=PATIENT)
        reports = list(guard.check_many(rows(4), max_calls=most))
        assert [report.verdict == "unverified" for report in reports] == [n >= judged for n in range(4)]
        assert server.counts["chat"] + sum(server.sizes) <= most


def test_the_budget_of_an_answer_holds(tmp_path):
    with BatchServer(ReadingJudge()) as server:
        one = LLMEngine(
            llm=model(server, "openai"),
            settings=CallSettings(max_calls=1),
            batches=BatchSettings(state=tmp_path / "state", longest_poll=0.01),
        )
        reports = list(Guard(engine=one, policy=PATIENT).check_many(rows(3)))
        assert causes(reports) == [{"budget"}] * 3
        assert server.counts["chat"] + sum(server.sizes) == 3
