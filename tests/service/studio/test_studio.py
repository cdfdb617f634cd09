"""What all views of the studio share."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from guardrail.errors import ConfigurationError, UsageError
from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.json_rows import JsonRows
from guardrail.service.studio.studio import Studio
from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import write_answers, write_store


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    write_answers(path, 12)
    return path


def test_the_label_file_is_never_the_source(answers):
    with pytest.raises(UsageError, match="the input itself"):
        Studio(answers, labels=answers)
    with pytest.raises(UsageError, match="there is no folder"):
        Studio(answers, labels=answers.parent / "no" / "such.jsonl")


def test_a_source_is_a_record_store_or_a_file_by_what_it_holds(tmp_path: Path) -> None:
    write_store(tmp_path / "any.name", 3, now=1_800_000_000.0)
    write_answers(tmp_path / "rows", 3)
    assert isinstance(Studio(tmp_path / "any.name").records, RecordStore)
    assert isinstance(Studio(tmp_path / "rows").records, JsonRows)
    store = RecordStore(tmp_path / "any.name")
    assert Studio(store).records is store
    assert Studio(store).source == store.path
    assert Studio().records is None


def test_a_source_that_cannot_be_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a folder\. Name a record store"):
        Studio(tmp_path)
    with pytest.raises(UsageError, match=r"No such file or directory\. Name a record store"):
        Studio(tmp_path / "none.db")


def test_labels_are_beside_the_source_unless_they_are_named(tmp_path: Path) -> None:
    write_answers(tmp_path / "answers.jsonl", 3)
    beside, named = Studio(tmp_path / "answers.jsonl").labels, Studio(labels=tmp_path / "mine.jsonl").labels
    assert beside is not None
    assert named is not None
    assert (beside.path, named.path) == (tmp_path / "answers.labels.jsonl", tmp_path / "mine.jsonl")
    assert Studio().labels is None


def test_policies_to_choose_are_the_files_that_were_named_and_the_presets(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("preset: strict\nthreshold: 0.8\n")
    studio = Studio(policies=[str(mine), "strict"])
    assert studio.policies[:2] == (str(mine), "strict")
    assert len(set(studio.policies)) == len(studio.policies)
    assert studio.policy().threshold == 0.8
    mine.write_text("preset: strict\nthreshold: 0.4\n")
    assert studio.policy().threshold == 0.4  # as the file says now
    assert studio.policy("monitor").deadline is None
    for name in ("nobody", str(tmp_path / "other.yaml"), "strct"):
        with pytest.raises(StudioError, match="there is no policy") as refused:
            studio.policy(name)
        assert (refused.value.status, refused.value.field) == (422, "policy")
    with pytest.raises(ConfigurationError, match=r"none\.yaml"):
        Studio(policies=[str(tmp_path / "none.yaml")])


def test_an_engine_is_loaded_once_whatever_the_policy() -> None:
    studio = Studio()
    strict, lax = studio.guard("strict"), studio.guard("monitor", "local")
    assert strict.judge is lax.judge
    assert studio.guard("strict") is strict
    assert (strict.policy.name, lax.policy.name) == ("strict", "monitor")
    with pytest.raises(StudioError, match="there is no engine 'nli' here") as refused:
        studio.guard(engine="nli")
    assert refused.value.field == "engine"


def test_work_leaves_the_event_loop_free() -> None:
    async def main() -> bool:
        go = threading.Event()
        work = asyncio.ensure_future(Studio().run(go.wait, 60))
        await asyncio.sleep(0)
        go.set()  # the loop came to here while the work waits
        return await work

    assert asyncio.run(main()) is True
