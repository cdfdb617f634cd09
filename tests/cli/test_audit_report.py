"""The report on the command line, with what changed since another audit."""

import pytest
from typer.testing import CliRunner

from guardrail.audit.folder import AuditFolder
from guardrail.cli.main import app
from tests.support.audited import KIND, audit_rows, month

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_the_report_says_what_changed_since_the_last_audit(tmp_path):
    audit_rows(tmp_path, month(lambda n: n % 40 == 0, count=300), "june")
    audit_rows(tmp_path, month(lambda n: n % 40 == 0 or n % 7 == 4, first=1000, count=300), "july")

    def page(*words):
        found = CliRunner().invoke(app, ["audit", *map(str, words)])
        assert found.exit_code == 0, found.output
        return (tmp_path / "july" / "report.html").read_text()

    assert "What changed" not in page("report", tmp_path / "july")
    told = page("report", tmp_path / "july", "--since", tmp_path / "june")
    assert "What changed since the last audit" in told
    assert "Documents with more bad answers than before" in told
    assert str(tmp_path / "june") in told
    assert told.index("What changed") < told.index("Which documents")


def test_another_engine_in_the_same_folder_is_a_change_since_the_last_audit(tmp_path):
    rows = month(lambda n: n % 10 == 0)
    audit_rows(tmp_path, rows, "out")
    first = audit_rows(tmp_path, rows, engine=KIND)
    with AuditFolder(tmp_path / "out") as folder:
        assert folder.before(first.fingerprint) == min(folder.fingerprints(), key=lambda f: f == first.fingerprint)
        assert folder.before(folder.before(first.fingerprint)) is None
    found = CliRunner().invoke(app, ["audit", "report", str(tmp_path / "out")])
    assert "what changed: compare.html" in found.output
    assert "200 answers that are in both" in (tmp_path / "out" / "report.html").read_text()
