"""A comparison as a page, as JSON and as lines."""

import json

import pytest

from guardrail.audit.compare import compare, write_comparison
from guardrail.audit.compare.written import lines_of
from tests.support.audited import audit_rows, logged, month

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_a_new_bad_document_is_named(tmp_path):
    audit_rows(tmp_path, month(lambda n: n % 40 == 0, count=300), "a")
    audit_rows(tmp_path, month(lambda n: n % 40 == 0 or n % 7 == 4, count=300), "b")
    found = compare(tmp_path / "a", tmp_path / "b")
    assert found.documents[0].name == "Manual 4"
    write_comparison(found, tmp_path / "page")
    page = (tmp_path / "page" / "compare.html").read_text()
    assert "Documents with more bad answers than before" in page
    assert "Manual 4" in page
    assert json.loads((tmp_path / "page" / "compare.json").read_text())["documents"][0]["name"] == "Manual 4"


def test_texts_stay_text(tmp_path):
    for name, bad in (("a", False), ("b", True)):
        rows = [
            logged(n, bad=bad, labels={"<b>": "<i>"}, passages=[{"title": "<u>", "text": "Valve."}]) for n in range(9)
        ]
        audit_rows(tmp_path, rows, name)
    write_comparison(compare(tmp_path / "a", tmp_path / "b"), tmp_path)
    page = (tmp_path / "compare.html").read_text()
    assert "&lt;u&gt;" in page
    assert not any(mark in page for mark in ("<b>", "<i>", "<u>"))


def test_an_empty_audit_can_be_compared(tmp_path):
    audit_rows(tmp_path, ["{"], "a")
    audit_rows(tmp_path, [logged(1)], "b")
    found = compare(tmp_path / "a", tmp_path / "b")
    assert (found.whole.difference, found.paired) == (None, None)
    write_comparison(found, tmp_path / "page")
    assert "nothing to compare" in (tmp_path / "page" / "compare.html").read_text()
    assert list(lines_of(found))
