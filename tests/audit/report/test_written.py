"""The files of a report: texts stay texts, and tables hold the figures."""

import re

import pytest

from guardrail.audit.report import write_report
from tests.support.audited import audit_rows, logged

pytest.importorskip("duckdb")
pyarrow = pytest.importorskip("pyarrow")


def test_texts_of_answers_are_text_only(tmp_path):
    evil = "<script>alert(1)</script> | [x](y) is wrong."
    audit_rows(tmp_path, [logged(1, answer=evil, question="<b>?", labels={"model": "<i>|m", "<b>|~~k~~": "v"})])
    write_report(tmp_path / "out")
    page, text = ((tmp_path / "out" / f"report.{end}").read_text() for end in ("html", "md"))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.findall(r"<(?:b|i)>", page)
    assert "\\[x\\](y)" in text
    assert "<i>" not in text
    assert "<b>" not in text
    assert "| \\<b\\>\\|\\~\\~k\\~\\~ |" in text


def test_tables_hold_the_figures(tmp_path):
    from pyarrow import parquet

    audit_rows(tmp_path, [logged(n, bad=n % 4 == 0, model="m1") for n in range(200)])
    figures = write_report(tmp_path / "out")
    days = parquet.read_table(tmp_path / "out" / "tables" / "days.parquet").to_pylist()
    assert [(row["day"], row["bad"], row["total"]) for row in days] == [(r.name, r.bad, r.total) for r in figures.days]
    assert sum(row["total"] for row in days) == 200
    slices = parquet.read_table(tmp_path / "out" / "tables" / "slices.parquet").to_pylist()
    assert [(row["label"], row["value"], row["bad"]) for row in slices] == [("model", "m1", 50)]
