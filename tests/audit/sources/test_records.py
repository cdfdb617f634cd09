"""A record store as a source."""

import pytest

from guardrail.audit.answer import LoggedAnswer
from tests.support.audited import read_source
from tests.support.recorded_answers import RECORDED_UNTIL, write_store

pytest.importorskip("pyarrow")


def test_our_record_store(tmp_path):
    write_store(tmp_path / "guardrail.db", 30, now=RECORDED_UNTIL)
    found = read_source(tmp_path / "guardrail.db")
    assert len(found) == 30
    assert all(isinstance(one, LoggedAnswer) and one.passages and one.at for one in found)
