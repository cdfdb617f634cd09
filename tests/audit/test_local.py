"""With real processes, which are killed."""

import os
from concurrent.futures.process import BrokenProcessPool

import pytest

from guardrail.audit import audit
from tests.support.audited import LethalEngine, logged, table, write_lines

pytest.importorskip("pyarrow")
pytestmark = [pytest.mark.clock, pytest.mark.slow]


def die(_batch):
    """What a process does that runs out of memory."""
    os._exit(1)


def test_where_no_process_can_work_the_audit_ends(tmp_path, monkeypatch):
    log = write_lines(tmp_path / "log.jsonl", [logged(1)])
    audit(log, tmp_path / "out", engine=LethalEngine(), workers=0)
    monkeypatch.setattr("guardrail.audit.local._judge", die)
    with pytest.raises(BrokenProcessPool):
        audit(log, tmp_path / "out", engine=LethalEngine(), workers=1)


def test_processes_judge_as_one_does_and_an_answer_that_kills_is_set_aside(tmp_path):
    rows = [logged(n, bad=n % 4 == 0) for n in range(60)]
    log = write_lines(tmp_path / "log.jsonl", [*rows, logged(33, id="same-as-33")])
    done = audit(log, tmp_path / "many", engine=LethalEngine("Valve 33 "), workers=2, batch=8)
    assert (done.written, done.rejected) == (59, 2)
    lost = table(tmp_path / "many", "rejected")
    assert [row["id"] for row in lost] == ["a33", "same-as-33"]
    assert "ended the process" in lost[0]["reason"]
    audit(log, tmp_path / "one", engine=LethalEngine("nothing"), workers=0, batch=16)

    def judged(folder):
        rows = table(tmp_path / folder, "judgements")
        return {row["content"]: row for row in rows}

    many, one = judged("many"), judged("one")
    assert {content: one[content] for content in many} == many
    assert len(one) - len(many) == 1
