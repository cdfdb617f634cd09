"""Files of rows: a bad line spoils itself only, and what is hidden is passed over."""

from __future__ import annotations

import json

from guardrail.evaluation.data.reading import find_sources
from tests.support.labelled_files import PLAIN, read, write_lines


def test_bytes_that_are_not_utf8_spoil_their_own_line(tmp_path):
    path = tmp_path / "x.jsonl"
    good = json.dumps(PLAIN).encode()
    path.write_bytes(good + b"\n" + good.replace(b"1931", b"\xff\xfe") + b"\n" + good + b"\n")
    rows, bad = read(path)
    assert len(rows) == 2
    assert "UTF-8" in bad[0].problem


def test_what_is_hidden_is_passed_over(tmp_path):
    (tmp_path / ".copies").mkdir()
    for name in (".x.jsonl", ".copies/x.jsonl", "x.jsonl"):
        write_lines(tmp_path / name, [PLAIN])
    assert [source.path for source in find_sources(tmp_path)] == [tmp_path / "x.jsonl"]
