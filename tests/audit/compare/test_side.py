"""One of the audits that are compared."""

from pathlib import Path

import pytest

from guardrail.audit.compare import compare
from guardrail.audit.compare.side import side_of
from tests.support.audited import audit_rows, logged, month

pytest.importorskip("duckdb")
parquet = pytest.importorskip("pyarrow.parquet")


def test_labels_that_are_ids_are_no_slices(tmp_path):
    for name in ("a", "b"):
        audit_rows(tmp_path, month(lambda n: n % 10 == 0, count=201), name)
    assert set(compare(tmp_path / "a", tmp_path / "b").slices) == {"model"}


def test_a_side_counts_what_was_judged_and_keeps_its_answers(tmp_path: Path) -> None:
    rows = [logged(n, bad=n < 2, model=f"m{n % 2}") for n in range(6)] + [logged(9, passages=[])]
    done = audit_rows(tmp_path, rows)
    side = side_of(done.folder, done.fingerprint[:6], tmp_path / "it's.parquet")
    assert (side.fingerprint, side.answers, side.whole) == (done.fingerprint, 7, (2, 6))
    assert side.slices == {"model": {"m0": (1, 3), "m1": (1, 3)}}
    assert side.errors == {"contradiction": 2}
    assert side.documents["Manual 0"] == (1, 1)
    kept = parquet.read_table(tmp_path / "it's.parquet").to_pylist()
    assert sorted((row["bad"], row["known"]) for row in kept) == [(0, 0), *[(0, 1)] * 4, *[(1, 1)] * 2]
