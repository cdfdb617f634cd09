"""JSON lines, packed ones too, and lists."""

import gzip
import json

import pytest

from guardrail.audit.answer import Rejected
from guardrail.audit.sources import json_lines
from tests.support.audited import ids_of, logged, read_source, write_lines

pytest.importorskip("pyarrow")


def test_pieces_of_lines_share_out_each_line_once(tmp_path, monkeypatch):
    path = write_lines(tmp_path / "a.jsonl", [logged(n, note="é" * (n % 37)) for n in range(300)])
    for size in (97, 1000, 4096):
        monkeypatch.setattr(json_lines, "PIECE_BYTES", size)
        assert ids_of(read_source(path)) == [f"a{n}" for n in range(300)]


def test_a_bad_row_costs_only_itself(tmp_path):
    rows = [logged(0), "{", "[1]", '{"id": "\xff"', logged(1), "", json.dumps({"id": "n", "answer": "x"})]
    path = write_lines(tmp_path / "a.jsonl", rows)
    path.write_bytes(path.read_bytes() + b'{"id": "\xff\xfe"}\n')
    found = read_source(path)
    assert ids_of(found) == ["a0", None, None, None, "a1", None, None]
    reasons = [one.reason for one in found if isinstance(one, Rejected)]
    for part, reason in zip(
        ("not valid JSON", "must be a JSON object", "not valid JSON", "no 'passages'", "not UTF-8"),
        reasons,
        strict=True,
    ):
        assert part in reason


def test_packed_lines_and_lists(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(
        gzip.compress(b"".join(json.dumps(logged(n)).encode() + b"\n" for n in range(5)))
    )
    (tmp_path / "b.json").write_text(json.dumps([logged(n) for n in range(5, 8)]))
    (tmp_path / "c.json").write_text("\n".join(json.dumps(logged(n)) for n in range(8, 10)))
    assert ids_of(read_source(tmp_path)) == [f"a{n}" for n in range(10)]
    whole = (tmp_path / "a.jsonl.gz").read_bytes()
    (tmp_path / "a.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    found = read_source(tmp_path / "a.jsonl.gz")
    assert isinstance(found[-1], Rejected)
    assert found[-1].rows is None
