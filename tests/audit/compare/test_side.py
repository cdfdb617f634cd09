"""One of the audits that are compared."""

import pytest

from guardrail.audit.compare import compare
from tests.support.audited import audit_rows, month

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_labels_that_are_ids_are_no_slices(tmp_path):
    for name in ("a", "b"):
        audit_rows(tmp_path, month(lambda n: n % 10 == 0, count=201), name)
    assert set(compare(tmp_path / "a", tmp_path / "b").slices) == {"model"}
