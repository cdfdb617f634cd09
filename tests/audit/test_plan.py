"""What is left to do: ids once, contents once."""

import pytest

from guardrail.audit.answer import Found, LoggedAnswer, Rejected
from guardrail.audit.plan import Plan
from guardrail.testing import FakeEngine
from tests.support.audited import logged, run_audit, table, write_lines

pytest.importorskip("pyarrow")


def test_the_same_texts_are_judged_once(tmp_path):
    rows = [logged(n % 10, id=f"r{n}") for n in range(100)]
    engine = FakeEngine(name="counted")
    done = run_audit(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "out", engine=engine)
    assert (done.judged, done.same, done.written) == (10, 90, 100)
    assert len(engine.calls) == len(table(tmp_path / "out", "judgements")) == 10
    judged = {row["content"] for row in table(tmp_path / "out", "judgements")}
    assert {row["content"] for row in table(tmp_path / "out", "answers")} == judged


def test_another_answer_under_an_id_is_rejected_each_time(tmp_path):
    rows = [logged(1), logged(2, id="a1"), logged(2, id="a1")]
    done = run_audit(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "out")
    assert (done.written, done.again, done.rejected) == (1, 0, 2)


def found(*ids: str) -> list[Found]:
    return [(LoggedAnswer(id=ident, answer=ident[0], passages=(), documents=()), 2.0) for ident in ids]


def test_batches_hold_what_is_left_and_count_all_that_was_seen() -> None:
    plan = Plan()
    lost: list[Found] = [(Rejected(place="log:9", reason="is not valid JSON"), 2.0)]
    batches = list(plan.batches([*found("a1", "a1", "b1", "b2"), *lost], 2))
    assert [[item.answer.id for item in batch.items] for batch in batches] == [["a1", "b1"], ["b2"]]
    assert [(batch.number, batch.seen, batch.size) for batch in batches] == [(0, 3, 6.0), (1, 2, 4.0)]
    assert [(item.new, item.judge) for batch in batches for item in batch.items] == [
        (True, True), (True, True), (True, False),
    ]  # fmt: skip
    assert [one.place for batch in batches for one in batch.rejected] == ["log:9"]
    assert (plan.again, plan.same) == (1, 1)


def test_rows_that_are_all_done_come_in_early_batches_without_work() -> None:
    plan = Plan()
    list(plan.batches(found("a1"), 1))
    batches = list(plan.batches(found(*["a1"] * 130), 1))
    assert [batch.seen for batch in batches] == [64, 64, 2]
    assert not any(batch.items for batch in batches)
