"""A report as headings, paragraphs and tables."""

import pytest

from guardrail.audit.report import write_report
from tests.support.audited import audit_rows

pytest.importorskip("duckdb")
pyarrow = pytest.importorskip("pyarrow")


def test_an_audit_of_nothing_has_a_report(tmp_path):
    audit_rows(tmp_path, ["{"])
    assert write_report(tmp_path / "out").answers == 0
