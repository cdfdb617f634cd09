"""A second engine for answers of which the first is unsure, within a budget."""

import pytest

from guardrail.audit import audit
from guardrail.audit.report import write_report
from guardrail.audit.sources.opened import Files
from guardrail.errors import UsageError
from tests.support.audited import DownEngine, ScoringEngine, audit_rows, logged, write_lines

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def rows():
    scores = (95, 90, 52, 48, 45, 60, 30, 25, 5)
    found = [logged(n, answer=f"Valve {n} of kind s{score:02} closes.") for n, score in enumerate(scores)]
    return found + [logged(6, id=f"more{k}", answer=found[6]["answer"]) for k in range(9)]


def run(tmp_path, second, budget, **options):
    log = write_lines(tmp_path / "log.jsonl", rows())
    return audit(log, tmp_path / "out", engine=ScoringEngine(), second=second, budget=budget, workers=0, **options)


def kinds(engine):
    return {text.split()[4] for text in engine.asked}


def test_all_that_is_unsure_is_judged_again_where_the_budget_lasts(tmp_path):
    second = ScoringEngine(cost=1.0, says=0.97, name="second")
    done = run(tmp_path, second, 50.0)
    assert kinds(second) == {"s52", "s48", "s45", "s60", "s30", "s25"}
    assert (done.escalated, done.cost) == (6, 6.0)
    figures = write_report(tmp_path / "out")
    assert (figures.answers, figures.whole.bad) == (18, 1)  # of the sure ones only s05 is bad
    with pytest.raises(UsageError, match="0 fingerprints"):
        write_report(tmp_path / "out", "none")


def test_the_budget_is_spent_where_it_buys_most_and_once(tmp_path):
    second = ScoringEngine(cost=1.0, says=0.97, name="second")
    assert run(tmp_path, second, 3.0).cost == 3.0
    assert len(second.asked) == 3
    again = ScoringEngine(cost=1.0, says=0.97, name="second")
    assert run(tmp_path, again, 3.0).escalated == 0
    assert run(tmp_path, again, 5.0).escalated == 2
    assert not set(again.asked) & set(second.asked)


def test_answers_that_came_often_are_first(tmp_path, monkeypatch):
    monkeypatch.setattr("guardrail.audit.second_look._PROBE", 1)
    second = ScoringEngine(cost=1.0, says=0.97, name="second")
    run(tmp_path, second, 1.0)
    assert kinds(second) == {"s30"}  # ten answers, though others are nearer to the threshold


def test_what_the_second_engine_cannot_judge_keeps_the_first_verdict(tmp_path):
    done = run(tmp_path, DownEngine(cost=1.0, name="down"), 50.0)
    assert (done.escalated, done.cost) == (6, 6.0)
    figures = write_report(tmp_path / "out")
    assert "unverified" not in figures.verdicts
    assert figures.answers == 18


def test_a_budget_needs_prices(tmp_path):
    with pytest.raises(UsageError, match="needs prices"):
        run(tmp_path, ScoringEngine(name="second"), 3.0)
    for second, budget in ((None, 3.0), (ScoringEngine(), None), (ScoringEngine(), 0.0)):
        with pytest.raises(UsageError, match="go together"):
            run(tmp_path, second, budget)


def test_rejected_rows_stay_in_the_report(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [*rows(), "{"])
    second = ScoringEngine(cost=1.0, name="second")
    audit(log, tmp_path / "out", engine=ScoringEngine(), second=second, budget=9.0, workers=0)
    assert write_report(tmp_path / "out").lost == 1


def test_what_costs_nothing_does_not_read_the_source_for_every_few_answers(tmp_path, monkeypatch):
    monkeypatch.setattr("guardrail.audit.second_look._PROBE", 1)
    reads = []
    read = Files.read
    monkeypatch.setattr(Files, "read", lambda source, piece: reads.append(piece) or read(source, piece))
    log = [logged(n, answer=f"Valve {n} of kind s45 closes.") for n in range(60)]
    source, out = write_lines(tmp_path / "log.jsonl", log), tmp_path / "out"
    audit(source, out, engine=ScoringEngine(), second=ScoringEngine(cost=0.0, name="second"), budget=1.0, workers=0)
    assert len(reads) <= 9  # once for the first engine; then 1, 1, 2, 4, ... answers


def test_a_second_look_that_failed_is_paid_for_and_tried_again(tmp_path):
    log = [logged(n, answer=f"Valve {n} of kind s4{n} closes.") for n in range(6)]

    def look(engine, budget):
        return audit_rows(tmp_path, log, engine=ScoringEngine(), second=engine, budget=budget)

    assert look(DownEngine(cost=1.0, name="second"), 6.0).escalated == 6
    assert look(ScoringEngine(cost=1.0, says=0.97, name="second"), 6.0).escalated == 0  # the budget is spent
    assert look(ScoringEngine(cost=1.0, says=0.97, name="second"), 9.0).escalated == 3
    assert write_report(tmp_path / "out").verdicts == {"supported": 3, "unsupported": 3}
    assert look(ScoringEngine(cost=1.0, says=0.97, name="second"), 9.0).escalated == 0  # what was replaced was paid too
