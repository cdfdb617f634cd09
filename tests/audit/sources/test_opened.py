"""Which source a name stands for, whatever its files are."""

import pytest

from guardrail.audit import Columns, open_source
from guardrail.errors import UsageError
from tests.support.audited import ids_of, logged, read_source, write_lines, write_parquet

pytest.importorskip("pyarrow")


def test_parquet_and_lines_hold_the_same(tmp_path):
    rows = [logged(n) for n in range(130)]
    of_parquet = read_source(write_parquet(tmp_path / "a.parquet", rows))
    of_lines = read_source(write_lines(tmp_path / "a.jsonl", rows))
    assert ids_of(of_parquet) == ids_of(of_lines) == [f"a{n}" for n in range(130)]
    assert [one.content for one in of_parquet] == [one.content for one in of_lines]
    assert of_parquet[120].place.endswith("a.parquet:121")


def test_the_shares_of_a_source_make_up_its_size(tmp_path):
    write_parquet(tmp_path / "a.parquet", [logged(n) for n in range(130)])
    write_lines(tmp_path / "b.jsonl", [logged(n) for n in range(130)])
    source = open_source(str(tmp_path))
    shares = [share for piece in source.pieces() for _, share in source.read(piece)]
    assert sum(shares) == pytest.approx(source.size)


def test_a_table_without_the_columns_is_refused_before_the_work(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", [{"id": "1", "text": "x", "docs": ["y"]}])
    with pytest.raises(UsageError, match=r"no column 'answer'.*--column answer=COLUMN"):
        open_source(str(path))
    with pytest.raises(UsageError, match="Did you mean 'text'"):
        open_source(str(path), columns=Columns(names={"answer": "texts", "passages": "docs"}))
    assert ids_of(read_source(path, columns=Columns(names={"answer": "text", "passages": "docs"}))) == ["1"]
