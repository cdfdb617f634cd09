"""The embedded model's folders: one load for all guards, and a reader for each kind of model."""

from __future__ import annotations

from pathlib import Path

from guardrail import Guard
from guardrail.engines.local.engine import LocalEngine
from guardrail.engines.local.loading import load, reader_class
from guardrail.engines.local.model import PACKS, CrossEncoder
from guardrail.engines.local.packs import PackReader


def test_one_model_serves_all_guards():
    """Loading takes time and memory; a process does it once."""
    assert load() is load()
    assert Guard().engine == LocalEngine()


def test_a_folder_of_packs_has_another_reader(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    for folder in (plain, packed):
        folder.mkdir()
    (packed / PACKS).write_text("{}")
    assert reader_class(plain) is CrossEncoder
    assert reader_class(packed) is PackReader
