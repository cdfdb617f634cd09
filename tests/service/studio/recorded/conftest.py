"""Record stores of a few answers, and one of 100,000."""

from __future__ import annotations

import json

import pytest

from guardrail.service.studio.json_rows import JsonRows
from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.file_source import FileSource
from guardrail.service.studio.recorded.listing import list_records
from guardrail.service.studio.recorded.source import StoreSource
from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import RECORDED_UNTIL, outcome

NOW = RECORDED_UNTIL
ANSWER = "The dam opened in 1963. It supplies Oslo."
PASSAGE = "The dam opened in 1963. It supplies Fennick."


def asked(source, question, query=None, *more):
    """What a function makes of the chosen records of a source."""
    with source.open() as connection:
        return question(connection, read_chosen(query or {}, NOW), NOW, *more)


def row(**given):
    """A line of a file."""
    return json.dumps({"id": "a", "question": "When?", "answer": ANSWER, "passages": [PASSAGE], **given})


def listed(source, query=None, **how):
    """The records of a source that a query chooses."""
    with source.open() as connection:
        return list_records(source, connection, read_chosen(query or {}, NOW), NOW, **how).records


def one(source, ident):
    """The record of that id."""
    with source.open() as connection:
        return source.find(connection, ident)


def release(verdict, count, name, **labels):
    """So many answers of a release, for ``kept``."""
    return [(verdict, {"labels": {"release": name, **labels}})] * count


@pytest.fixture
def kept(tmp_path):
    """Makes a store of these answers: ``kept(("contradicted", {"at": 5.0}), ...)``; ids count from 1."""

    def make(*answers, sample=1.0):
        path = tmp_path / "guardrail.db"
        with RecordStore(path, sample=sample, days=None, queue=10_000) as store:
            for number, (verdict, given) in enumerate(answers, 1):
                store.record(outcome(verdict, **{"id": f"{number:032x}", "at": NOW - 1000 + number, **given}))
            assert store.flush(60)
        return StoreSource(path)

    return make


@pytest.fixture
def file(tmp_path):
    """Makes a source of these lines."""

    def make(*lines):
        path = tmp_path / "answers.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
        return FileSource(JsonRows(path))

    return make


@pytest.fixture(scope="session")
def many(many_records):
    """100,000 records, of the 14 days before NOW."""
    return StoreSource(many_records)
