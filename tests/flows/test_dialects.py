"""The interfaces of vendors, all of them."""

from __future__ import annotations

from guardrail.service import dialects
from tests.support.golden_requests import FOLDER


def test_all_dialects_have_golden_cases() -> None:
    names = {dialect.__name__.rpartition(".")[2] for dialect in dialects.DIALECTS}
    assert names == {file.stem for file in FOLDER.glob("*.json")}
