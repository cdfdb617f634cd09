"""How a source was opened, to open it again from anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guardrail.audit.columns import Columns
from guardrail.audit.sources.reading import Reading
from guardrail.errors import UsageError
from tests.support.audited import ids_of, write_lines

pytest.importorskip("pyarrow")


def test_what_is_noted_opens_the_source_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(
        tmp_path / "log.jsonl", [{"key": "k1", "said": {"text": "It closes."}, "passages": [], "team": "north"}]
    )
    monkeypatch.chdir(tmp_path)
    columns = Columns(names={"id": "key", "answer": "said.text"}, labels={"group": "team"})
    written = json.dumps(Reading.named("log.jsonl", "table", columns).as_json())
    monkeypatch.chdir("/")
    source = Reading.of(json.loads(written)).open()
    found = [one for piece in source.pieces() for one, _ in source.read(piece)]
    assert ids_of(found) == ["k1"]
    assert getattr(found[0], "labels", None) == {"group": "north"}


def test_an_address_is_kept_as_it_is() -> None:
    assert Reading.named("s3://logs/a.parquet?region=eu", "auto", None).as_json() == {
        "name": "s3://logs/a.parquet?region=eu",
        "form": "auto",
        "names": {},
        "labels": {},
    }


def test_a_source_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone.jsonl"
    with pytest.raises(UsageError, match="Nothing to audit") as refused:
        Reading.named(str(gone), "table", None).open()
    assert str(gone) in str(refused.value)
