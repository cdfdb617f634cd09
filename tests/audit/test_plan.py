"""What is left to do: ids once, contents once."""

import pytest

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
