"""Parquet files, broken ones too."""

import pytest

from guardrail.audit.answer import Rejected
from tests.support.audited import ids_of, logged, read_source, write_parquet

pytest.importorskip("pyarrow")


def test_a_broken_parquet_file_costs_what_it_cannot_show(tmp_path):
    path = write_parquet(tmp_path / "b.parquet", [logged(n) for n in range(100)])
    write_parquet(tmp_path / "c.parquet", [logged(n) for n in range(100, 110)])
    data = bytearray(path.read_bytes())
    data[300:400] = b"\xff" * 100
    path.write_bytes(bytes(data))
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no more")
    found = read_source(tmp_path)
    lost = [one for one in found if isinstance(one, Rejected)]
    assert [one.place for one in lost if "a.parquet" in one.place]
    assert sum(one.rows or 0 for one in lost) + len(found) - len(lost) == 110
    assert {f"a{n}" for n in range(100, 110)} <= set(ids_of(found))
