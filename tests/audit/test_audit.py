import os
from pathlib import Path

import pytest

from guardrail import Guard, Policy
from guardrail.audit import Columns, audit
from guardrail.audit.folder import AuditFolder
from guardrail.errors import ConfigurationError, UsageError
from guardrail.testing import FakeEngine
from tests.support.audited import FAKE, ids, logged, table, write_lines, write_parquet

pytest.importorskip("pyarrow")


def run(source, out, **options):
    return audit(source, out, **{"engine": FAKE, "workers": 0, "batch": 8} | options)


def test_every_answer_is_judged_and_written_by_day(tmp_path):
    rows = [logged(n, bad=n % 5 == 0, model=f"m{n % 2}") for n in range(200)]
    done = run(write_parquet(tmp_path / "log.parquet", rows), tmp_path / "out")
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
    run(log, tmp_path / "out")
    before = table(tmp_path / "out", "answers")
    engine = FakeEngine(name="fake")
    again = run(log, tmp_path / "out", engine=engine)
    assert (again.judged, again.written, again.again, len(engine.calls)) == (0, 0, 50, 0)
    assert table(tmp_path / "out", "answers") == before


def test_new_rows_are_added(tmp_path):
    run(write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(50)]), tmp_path / "out")
    more = run(write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(60)]), tmp_path / "out")
    assert (more.judged, more.again) == (10, 50)
    assert len(ids(tmp_path / "out")) == 60


@pytest.mark.parametrize("change", [{"engine": FakeEngine(name="other")}, {"policy": Policy.strict()}])
def test_another_engine_or_policy_judges_again_beside_the_first(tmp_path, change):
    log = write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(20)])
    first = run(log, tmp_path / "out")
    second = run(log, tmp_path / "out", **change)
    assert (second.judged, second.written) == (20, 0)
    assert first.fingerprint != second.fingerprint
    with AuditFolder(tmp_path / "out") as folder:
        assert [len(folder.files("judgements", f"fingerprint={f}")) for f in folder.fingerprints()] == [1, 1]
    assert run(log, tmp_path / "out").judged == 0


def test_the_same_texts_are_judged_once(tmp_path):
    rows = [logged(n % 10, id=f"r{n}") for n in range(100)]
    engine = FakeEngine(name="counted")
    done = run(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "out", engine=engine)
    assert (done.judged, done.same, done.written) == (10, 90, 100)
    assert len(engine.calls) == len(table(tmp_path / "out", "judgements")) == 10
    judged = {row["content"] for row in table(tmp_path / "out", "judgements")}
    assert {row["content"] for row in table(tmp_path / "out", "answers")} == judged


def test_what_cannot_be_read_is_kept_with_its_reason(tmp_path):
    rows = [logged(1), "{", logged(2), {"id": "x"}, logged(3, id="a1"), logged(1)]
    done = run(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "out")
    assert (done.seen, done.written, done.again, done.rejected) == (6, 2, 1, 3)
    lost = table(tmp_path / "out", "rejected")
    assert [row["place"].rpartition(":")[2] for row in lost] == ["2", "4", "5"]
    for part, row in zip(("not valid JSON", "no 'answer'", "used before, for another answer"), lost, strict=True):
        assert part in row["reason"]


def test_another_answer_under_an_id_is_rejected_each_time(tmp_path):
    rows = [logged(1), logged(2, id="a1"), logged(2, id="a1")]
    done = run(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "out")
    assert (done.written, done.again, done.rejected) == (1, 0, 2)


def test_no_texts_are_kept_where_none_are_wanted(tmp_path):
    rows = [logged(n, bad=True) for n in range(3)]
    rows += [logged(4, passages=["Valve 4 closes."]), logged(5, answer=7), logged(6, id="a1"), '{"answer": "Valve 9']
    done = run(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "out", texts="none")
    assert (done.written, done.rejected) == (4, 3)
    for name in ("answers", "judgements", "findings", "documents", "rejected"):
        assert "Valve" not in str(table(tmp_path / "out", name))


def test_lots_are_moved_while_it_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("guardrail.audit.folder.LOT", 20)
    run(write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(100)]), tmp_path / "out")
    with AuditFolder(tmp_path / "out") as folder:
        assert len(folder.files("judgements")) == 5
    assert len(ids(tmp_path / "out")) == 100


def test_a_full_disk_at_any_file_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("guardrail.audit.folder.LOT", 20)
    log = write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(60)])
    sync, left = os.fsync, [0]

    def full(handle):
        left[0] -= 1
        if left[0] == 0:
            raise OSError(28, "No space left on device")
        sync(handle)

    monkeypatch.setattr("os.fsync", full)
    for at in (1, 2, 3):
        left[0] = at
        with pytest.raises(OSError, match="No space"):
            run(log, tmp_path / "out")
    done = run(log, tmp_path / "out")
    assert done.finished
    assert ids(tmp_path / "out") == {f"a{n}": 1 for n in range(60)}
    assert len(table(tmp_path / "out", "judgements")) == 60


def test_two_audits_do_not_share_a_folder(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [logged(1)])
    with AuditFolder(tmp_path / "out", writes=True), pytest.raises(UsageError, match="another audit is at work"):
        run(log, tmp_path / "out")
    assert run(log, tmp_path / "out").written == 1


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [logged(1)])
    with pytest.raises(UsageError, match="not empty"):
        run(log, tmp_path)
    with pytest.raises(UsageError, match="no folder of an audit"):
        AuditFolder(tmp_path)


def test_progress_ends_at_the_whole(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(40)])
    seen = []
    run(log, tmp_path / "out", progress=seen.append, columns=Columns())
    assert [p.seen for p in seen] == [8, 16, 24, 32, 40]
    assert seen[-1].share == pytest.approx(1.0)
    assert seen[0].seconds_left > 0


def test_an_answer_whose_check_fails_costs_only_itself(tmp_path, monkeypatch):
    check = Guard.check

    def fails(guard, answer, *given, **more):
        if "Valve 7 " in answer:
            raise RuntimeError("a fault of ours")
        return check(guard, answer, *given, **more)

    monkeypatch.setattr(Guard, "check", fails)
    log = write_lines(tmp_path / "log.jsonl", [*(logged(n) for n in range(20)), logged(7, id="same")])
    done = run(log, tmp_path / "out")
    assert (done.finished, done.written, done.rejected) == (True, 19, 2)
    lost = {row["id"]: row["reason"] for row in table(tmp_path / "out", "rejected")}
    assert lost["a7"] == "its check failed: RuntimeError: a fault of ours"
    monkeypatch.setattr(Guard, "check", check)
    assert run(log, tmp_path / "out").written == 2


def test_a_wrong_option_ends_the_audit_instead_of_rejecting_every_answer(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise ConfigurationError("no such model")

    monkeypatch.setattr(Guard, "check", refuse)
    with pytest.raises(ConfigurationError, match="no such model"):
        run(write_lines(tmp_path / "log.jsonl", [logged(1)]), tmp_path / "out")


def test_new_files_and_their_folders_are_on_disk_before_the_journal_names_them(tmp_path, monkeypatch):
    synced = []
    sync = os.fsync

    def note(handle):
        synced.append(Path(f"/proc/self/fd/{handle}").readlink() if Path("/proc/self/fd").exists() else None)
        sync(handle)

    monkeypatch.setattr("os.fsync", note)
    run(write_lines(tmp_path / "log.jsonl", [logged(1)]), tmp_path / "out")
    if None in synced:
        pytest.skip("needs /proc")
    with AuditFolder(tmp_path / "out") as folder:
        for file in folder.files("answers"):
            assert {file, file.parent, file.parent.parent, file.parent.parent.parent} <= set(synced)
