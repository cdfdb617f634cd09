import pytest

from guardrail.audit import Columns, audit
from guardrail.errors import UsageError
from guardrail.testing import FakeEngine
from tests.support.audited import FAKE, ids, logged, run_audit, table, write_lines, write_parquet

pytest.importorskip("pyarrow")


def test_every_answer_is_judged_and_written_by_day(tmp_path):
    rows = [logged(n, bad=n % 5 == 0, model=f"m{n % 2}") for n in range(200)]
    done = run_audit(write_parquet(tmp_path / "log.parquet", rows), tmp_path / "out")
    assert (done.finished, done.seen, done.written, done.judged, done.rejected) == (True, 200, 200, 200, 0)
    assert done.verdicts == {"supported": 160, "contradicted": 40}
    assert ids(tmp_path / "out") == dict.fromkeys((row["id"] for row in rows), 1)
    days = sorted(path.name for path in (tmp_path / "out" / "answers").iterdir())
    assert days == ["day=2023-11-15", "day=2023-11-16"]
    faulty = [row for row in table(tmp_path / "out", "judgements") if row["verdict"] == "contradicted"]
    assert {row["answer"] for row in faulty} == {row["answer"] for row in rows if "wrong" in row["answer"]}
    assert all(row["answer"] is None for row in table(tmp_path / "out", "judgements") if row["verdict"] == "supported")
    assert len(table(tmp_path / "out", "findings")) == 40
    assert dict(table(tmp_path / "out", "answers")[0]["labels"]) == {"model": "m0"}


def test_a_second_run_judges_nothing_and_changes_nothing(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(50)])
    run_audit(log, tmp_path / "out")
    before = table(tmp_path / "out", "answers")
    engine = FakeEngine(name="fake")
    again = run_audit(log, tmp_path / "out", engine=engine)
    assert (again.judged, again.written, again.again, len(engine.calls)) == (0, 0, 50, 0)
    assert table(tmp_path / "out", "answers") == before


def test_new_rows_are_added(tmp_path):
    run_audit(write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(50)]), tmp_path / "out")
    more = run_audit(write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(60)]), tmp_path / "out")
    assert (more.judged, more.again) == (10, 50)
    assert len(ids(tmp_path / "out")) == 60


def test_what_cannot_be_read_is_kept_with_its_reason(tmp_path):
    rows = [logged(1), "{", logged(2), {"id": "x"}, logged(3, id="a1"), logged(1)]
    done = run_audit(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "out")
    assert (done.seen, done.written, done.again, done.rejected) == (6, 2, 1, 3)
    lost = table(tmp_path / "out", "rejected")
    assert [row["place"].rpartition(":")[2] for row in lost] == ["2", "4", "5"]
    for part, row in zip(("not valid JSON", "no 'answer'", "used before, for another answer"), lost, strict=True):
        assert part in row["reason"]


def test_progress_ends_at_the_whole(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(40)])
    seen = []
    run_audit(log, tmp_path / "out", progress=seen.append, columns=Columns())
    assert [p.seen for p in seen] == [8, 16, 24, 32, 40]
    assert seen[-1].share == pytest.approx(1.0)
    assert seen[0].seconds_left > 0


def test_the_audit_itself_refuses(tmp_path):
    write_lines(tmp_path / "log.jsonl", [logged(1)])
    with pytest.raises(UsageError, match="Name a folder beside the source"):
        audit(tmp_path, tmp_path / "out", engine=FAKE, workers=0)
    assert not (tmp_path / "out").exists()
