"""A batch judged: what one answer costs, and which texts are kept."""

import pytest

from guardrail import Guard
from guardrail.errors import ConfigurationError
from tests.support.audited import logged, run_audit, table, write_lines

pytest.importorskip("pyarrow")


def test_no_texts_are_kept_where_none_are_wanted(tmp_path):
    rows = [logged(n, bad=True) for n in range(3)]
    rows += [logged(4, passages=["Valve 4 closes."]), logged(5, answer=7), logged(6, id="a1"), '{"answer": "Valve 9']
    done = run_audit(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "out", texts="none")
    assert (done.written, done.rejected) == (4, 3)
    for name in ("answers", "judgements", "findings", "documents", "rejected"):
        assert "Valve" not in str(table(tmp_path / "out", name))


def test_an_answer_whose_check_fails_costs_only_itself(tmp_path, monkeypatch):
    check = Guard.check

    def fails(guard, answer, *given, **more):
        if "Valve 7 " in answer:
            raise RuntimeError("a fault of ours")
        return check(guard, answer, *given, **more)

    monkeypatch.setattr(Guard, "check", fails)
    log = write_lines(tmp_path / "log.jsonl", [*(logged(n) for n in range(20)), logged(7, id="same")])
    done = run_audit(log, tmp_path / "out")
    assert (done.finished, done.written, done.rejected) == (True, 19, 2)
    lost = {row["id"]: row["reason"] for row in table(tmp_path / "out", "rejected")}
    assert lost["a7"] == "its check failed: RuntimeError: a fault of ours"
    monkeypatch.setattr(Guard, "check", check)
    assert run_audit(log, tmp_path / "out").written == 2


def test_a_wrong_option_ends_the_audit_instead_of_rejecting_every_answer(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise ConfigurationError("no such model")

    monkeypatch.setattr(Guard, "check", refuse)
    with pytest.raises(ConfigurationError, match="no such model"):
        run_audit(write_lines(tmp_path / "log.jsonl", [logged(1)]), tmp_path / "out")
