"""The files of an audit as views: of which run and fingerprint, whatever their folders are called."""

import pytest

from guardrail.audit.report import write_report
from guardrail.errors import UsageError
from guardrail.testing import FakeEngine
from tests.support.audited import audit_rows, logged

pytest.importorskip("duckdb")
pyarrow = pytest.importorskip("pyarrow")


def test_a_fingerprint_can_be_chosen(tmp_path):
    rows = [logged(n, bad=True) for n in range(10)]
    first = audit_rows(tmp_path, rows)
    audit_rows(tmp_path, rows, engine=FakeEngine(name="kind"))
    assert write_report(tmp_path / "out").whole.bad == 0
    assert write_report(tmp_path / "out", first.fingerprint[:8]).whole.bad == 10
    with pytest.raises(UsageError, match="0 fingerprints begin with 'zz'"):
        write_report(tmp_path / "out", "zz")


def test_rejected_rows_are_those_of_the_last_run(tmp_path):
    audit_rows(tmp_path, [logged(1), "{", "[]"])
    audit_rows(tmp_path, [logged(1), "{", {"id": "x"}])
    figures = write_report(tmp_path / "out")
    assert figures.lost == 2
    assert "Rows that could not be audited" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize("name", ["content=3", "verdict=x", "bad=1"])
def test_names_of_folders_are_no_columns(tmp_path, name):
    (tmp_path / name).mkdir()
    audit_rows(tmp_path / name, [logged(n, bad=n % 5 == 0) for n in range(20)])
    figures = write_report(tmp_path / name / "out")
    assert (figures.whole.bad, figures.whole.total) == (4, 20)
    assert [rate.name for rate in figures.days] == ["2023-11-15"]
