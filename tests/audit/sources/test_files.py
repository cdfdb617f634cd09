import gzip
import json
from pathlib import Path

import pytest

from guardrail.audit import Columns, audit, open_source
from guardrail.audit.answer import Rejected
from guardrail.audit.sources import json_lines
from guardrail.audit.sources.paths import find_files, refuse_inside
from guardrail.errors import UsageError
from tests.support.audited import FAKE, logged, write_lines, write_parquet

pytest.importorskip("pyarrow")


def read(source, **options):
    opened = open_source(str(source), **options)
    return [found for piece in opened.pieces() for found, _ in opened.read(piece)]


def ids(found):
    return [None if isinstance(one, Rejected) else one.id for one in found]


def test_parquet_and_lines_hold_the_same(tmp_path):
    rows = [logged(n) for n in range(130)]
    of_parquet = read(write_parquet(tmp_path / "a.parquet", rows))
    of_lines = read(write_lines(tmp_path / "a.jsonl", rows))
    assert ids(of_parquet) == ids(of_lines) == [f"a{n}" for n in range(130)]
    assert [one.content for one in of_parquet] == [one.content for one in of_lines]
    assert of_parquet[120].place.endswith("a.parquet:121")


def test_pieces_of_lines_share_out_each_line_once(tmp_path, monkeypatch):
    path = write_lines(tmp_path / "a.jsonl", [logged(n, note="é" * (n % 37)) for n in range(300)])
    for size in (97, 1000, 4096):
        monkeypatch.setattr(json_lines, "PIECE_BYTES", size)
        assert ids(read(path)) == [f"a{n}" for n in range(300)]


def test_the_shares_of_a_source_make_up_its_size(tmp_path):
    write_parquet(tmp_path / "a.parquet", [logged(n) for n in range(130)])
    write_lines(tmp_path / "b.jsonl", [logged(n) for n in range(130)])
    source = open_source(str(tmp_path))
    shares = [share for piece in source.pieces() for _, share in source.read(piece)]
    assert sum(shares) == pytest.approx(source.size)


def test_a_bad_row_costs_only_itself(tmp_path):
    rows = [logged(0), "{", "[1]", '{"id": "\xff"', logged(1), "", json.dumps({"id": "n", "answer": "x"})]
    path = write_lines(tmp_path / "a.jsonl", rows)
    path.write_bytes(path.read_bytes() + b'{"id": "\xff\xfe"}\n')
    found = read(path)
    assert ids(found) == ["a0", None, None, None, "a1", None, None]
    reasons = [one.reason for one in found if isinstance(one, Rejected)]
    for part, reason in zip(
        ("not valid JSON", "must be a JSON object", "not valid JSON", "no 'passages'", "not UTF-8"),
        reasons,
        strict=True,
    ):
        assert part in reason


def test_a_broken_parquet_file_costs_what_it_cannot_show(tmp_path):
    path = write_parquet(tmp_path / "b.parquet", [logged(n) for n in range(100)])
    write_parquet(tmp_path / "c.parquet", [logged(n) for n in range(100, 110)])
    data = bytearray(path.read_bytes())
    data[300:400] = b"\xff" * 100
    path.write_bytes(bytes(data))
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no more")
    found = read(tmp_path)
    lost = [one for one in found if isinstance(one, Rejected)]
    assert [one.place for one in lost if "a.parquet" in one.place]
    assert sum(one.rows or 0 for one in lost) + len(found) - len(lost) == 110
    assert {f"a{n}" for n in range(100, 110)} <= set(ids(found))


def test_packed_lines_and_lists(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(
        gzip.compress(b"".join(json.dumps(logged(n)).encode() + b"\n" for n in range(5)))
    )
    (tmp_path / "b.json").write_text(json.dumps([logged(n) for n in range(5, 8)]))
    (tmp_path / "c.json").write_text("\n".join(json.dumps(logged(n)) for n in range(8, 10)))
    assert ids(read(tmp_path)) == [f"a{n}" for n in range(10)]
    whole = (tmp_path / "a.jsonl.gz").read_bytes()
    (tmp_path / "a.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    found = read(tmp_path / "a.jsonl.gz")
    assert isinstance(found[-1], Rejected)
    assert found[-1].rows is None


def test_files_by_folder_glob_and_name(tmp_path):
    for name in ("x/a.jsonl", "x/y/b.jsonl", "x/_tmp/c.jsonl", "x/.d.jsonl", "x/readme.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}\n")
    (tmp_path / "odd[1].jsonl").write_text("{}\n")

    def names(source):
        return [file.uri.removeprefix(f"{tmp_path}/") for file in find_files(f"{tmp_path}/{source}")]

    assert names("x") == ["x/a.jsonl", "x/y/b.jsonl"]
    assert names("x/*.jsonl") == ["x/.d.jsonl", "x/a.jsonl"]
    assert names("x/**/b*") == ["x/y/b.jsonl"]
    assert names("odd[1].jsonl") == ["odd[1].jsonl"]
    with pytest.raises(UsageError, match="Nothing to audit"):
        names("x/*.parquet")
    assert [file.uri for file in find_files(f"file://{tmp_path}/x/a.jsonl")] == [f"file://{tmp_path}/x/a.jsonl"]


def test_a_question_mark_in_a_uri_begins_options_and_is_no_wildcard(tmp_path):
    """Such as ``s3://bucket/logs/*.parquet?region=eu-west-1``; pyarrow takes options in URIs of all its systems."""
    write_parquet(tmp_path / "a.parquet", [logged(1)])
    write_lines(tmp_path / "b.jsonl", [logged(2)])
    (tmp_path / "c.json").write_text(json.dumps([logged(3)]))
    for name in ("", "/*", "/*.parquet", "/b.jsonl"):
        found = find_files(f"file://{tmp_path}{name}?region=eu")
        assert found
        assert all(file.uri.endswith("?region=eu") for file in found)
    assert ids(read(f"file://{tmp_path}?region=eu")) == ["a1", "a2", "a3"]
    assert [Path(file.uri).name for file in find_files(f"{tmp_path}/?.jsonl")] == ["b.jsonl"]


@pytest.mark.parametrize(
    ("source", "out", "inside"),
    [
        ("", "audit", True), ("x", "x/audit", True), ("x/", "./x/y/../audit", True), ("x/**/*.parquet", "x/audit", True),
        ("x", "x", True), ("file://", "audit", True), ("x", "audit", False), ("x/*.parquet", "x/audit", False),
        ("x/**/*.jsonl", "x/audit", False), ("x", "x/_audit", False), ("x/a.jsonl", "x/audit", False),
        ("xy", "x", False), ("s3://", "audit", False),
    ],
)  # fmt: skip
def test_an_audit_is_not_written_into_what_it_reads(tmp_path, source, out, inside):
    scheme = source if "://" in source else ""
    named = "s3://bucket" if scheme == "s3://" else f"{scheme}{tmp_path}/{source.removeprefix(scheme)}"
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.jsonl").write_text("{}\n")
    if inside:
        with pytest.raises(UsageError, match="would read what this one writes as"):
            refuse_inside(named, tmp_path / out)
    else:
        refuse_inside(named, tmp_path / out)


def test_the_audit_itself_refuses(tmp_path):
    write_lines(tmp_path / "log.jsonl", [logged(1)])
    with pytest.raises(UsageError, match="Name a folder beside the source"):
        audit(tmp_path, tmp_path / "out", engine=FAKE, workers=0)
    assert not (tmp_path / "out").exists()


def test_a_table_without_the_columns_is_refused_before_the_work(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", [{"id": "1", "text": "x", "docs": ["y"]}])
    with pytest.raises(UsageError, match=r"no column 'answer'.*--column answer=COLUMN"):
        open_source(str(path))
    with pytest.raises(UsageError, match="Did you mean 'text'"):
        open_source(str(path), columns=Columns(names={"answer": "texts", "passages": "docs"}))
    assert ids(read(path, columns=Columns(names={"answer": "text", "passages": "docs"}))) == ["1"]


def test_a_key_in_the_address_is_refused_and_not_repeated():
    """The address is kept in the report."""
    for address in ("s3://KEY:SECRET@bucket/logs/a.parquet", "s3://bucket/a.parquet?secret_key=SECRET"):
        with pytest.raises(UsageError, match="holds a user name or a key") as refused:
            find_files(address)
        assert "SECRET" not in str(refused.value)
