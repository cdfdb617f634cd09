"""Files by name, folder, glob and URI."""

import json
from pathlib import Path

import pytest

from guardrail.audit.sources.paths import find_files, refuse_inside
from guardrail.errors import UsageError
from tests.support.audited import ids_of, logged, read_source, write_lines, write_parquet

pytest.importorskip("pyarrow")


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
    assert ids_of(read_source(f"file://{tmp_path}?region=eu")) == ["a1", "a2", "a3"]
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


def test_a_key_in_the_address_is_refused_and_not_repeated():
    """The address is kept in the report."""
    for address in ("s3://KEY:SECRET@bucket/logs/a.parquet", "s3://bucket/a.parquet?secret_key=SECRET"):
        with pytest.raises(UsageError, match="holds a user name or a key") as refused:
            find_files(address)
        assert "SECRET" not in str(refused.value)
