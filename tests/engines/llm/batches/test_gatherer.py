"""Answers worked on until they wait for a reply, and asked together: the same verdicts, at half the price."""

from __future__ import annotations

import pytest

from guardrail import Guard, UsageError
from tests.support.batch_server import BatchServer
from tests.support.batched import PASSAGES, PATIENT, PROVIDERS, checked, engine, rows, told
from tests.support.judge_script import ReadingJudge


@pytest.mark.parametrize("plan", ["fast", "thorough"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_same_verdicts_at_half_the_price(provider, plan, tmp_path):
    todo = rows(9)
    with BatchServer(ReadingJudge()) as server:
        one_by_one = checked(server, provider, todo, plan=plan)
        calls = server.counts["chat"]
        together = checked(server, provider, todo, tmp_path / "state", plan=plan)
        assert told(together) == told(one_by_one)
        assert {report.verdict for report in together} == {"supported", "contradicted"}
        assert server.counts["chat"] == calls + 1  # the one call that tries the endpoint
        assert sum(server.sizes) == calls - 1
        assert len(server.sizes) == 2
        full, half = (sum(report.usage.cost for report in each) for each in (one_by_one, together))
        assert full / 2 < half < 0.6 * full
    assert not (tmp_path / "state").exists()


def test_an_answer_that_is_done_does_not_change_what_others_of_its_wave_ask(tmp_path):
    """Two answers share a sentence; the first is done while the second is still worked on again."""
    first = {"answer": "The dam is 64 metres high. The repair took eleven weeks.", "passages": PASSAGES}
    second = {"answer": "The dam is 64 metres high. The gate was stuck.", "passages": PASSAGES}
    with BatchServer(ReadingJudge()) as server:
        guard = Guard(engine=engine(server, "openai", tmp_path / "state", at_once=1), policy=PATIENT)
        assert len(list(guard.check_many([first, second]))) == 2
        assert server.sizes == [1, 2]
        assert guard.check(**first).usage.calls == 0  # it is remembered once all are done


def test_one_engine_gathers_for_one_run_at_a_time(tmp_path):
    with BatchServer(ReadingJudge()) as server:
        guard = Guard(engine=engine(server, "openai", tmp_path / "state"), policy=PATIENT)
        with pytest.raises(UsageError, match="seconds cannot bound"):
            guard.check_many(rows(1), seconds=5)
        work = guard.check_many(rows(2))
        next(work)
        with pytest.raises(UsageError, match="at work for other answers"):
            next(guard.check_many(rows(1)))
        other = Guard(engine=engine(server, "openai", tmp_path / "state"), policy=PATIENT)
        with pytest.raises(UsageError, match="another run is at work"):
            next(other.check_many(rows(1)))
        work.close()
        assert guard.check(**rows(1)[0]).verdict == "contradicted"  # alone, by ordinary calls
