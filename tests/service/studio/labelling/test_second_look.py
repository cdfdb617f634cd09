"""Answers judged in the background by another engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guardrail import Guard, Policy
from guardrail.service.studio.json_rows import JsonRows
from guardrail.service.studio.labelling.second_look import Looked, SecondLooks, checked, distance
from guardrail.service.studio.recorded.file_source import FileSource
from guardrail.service.studio.recorded.jobs import Job
from guardrail.testing import FakeEngine
from tests.support.service_engines import GatedEngine
from tests.support.services import wait_until

ANSWERS = ("It is so.", "It is odd.", "It is wrong.", "It is fine.")


@pytest.fixture
def source(tmp_path: Path) -> FileSource:
    """Four answers that nobody checked, and one without passages."""
    rows = [{"id": f"a{n}", "answer": answer, "passages": ["It is so."]} for n, answer in enumerate(ANSWERS)]
    rows.append({"id": "bare", "answer": "It is so.", "passages": []})
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return FileSource(JsonRows(path))


def guard(**verdicts: str) -> Guard:
    return Guard(engine=FakeEngine(verdicts), policy=Policy.monitor().with_(deadline=None))


def verdict_of(source: FileSource, ident: str) -> str:
    with source.open() as connection:
        found = source.find(connection, ident)
    assert found is not None
    verdict: str = found["verdict"]
    return verdict


def ended(job: Job[Looked]) -> Job[Looked]:
    wait_until(lambda: job.state != "running")
    return job


def test_those_on_which_the_engines_differ_come_the_furthest_apart_first(source: FileSource) -> None:
    first, second = guard(wrong="contradicted", odd="unsupported"), guard(wrong="contradicted", fine="contradicted")
    job = ended(SecondLooks(source).job("other", 1, second, range(5), first=first))
    assert (job.state, job.done, job.total, job.result.failed) == ("done", 5, 5, 0)
    assert job.result.furthest() == [3, 1]  # 0.95 against 0.03, and 0.1 against 0.95
    assert [verdict_of(source, ident) for ident in ("a1", "a2", "bare")] == ["unsupported", "contradicted", "unchecked"]


def test_without_a_first_guard_answers_are_only_checked(source: FileSource) -> None:
    job = ended(SecondLooks(source).job("", 1, guard(wrong="contradicted"), [0, 2]))
    assert job.result.furthest() == []
    assert [verdict_of(source, f"a{n}") for n in range(4)] == ["supported", "unchecked", "contradicted", "unchecked"]


def test_each_engine_and_draw_is_looked_at_once(source: FileSource) -> None:
    looks, judge = SecondLooks(source), guard()
    job = ended(looks.job("e", 1, judge, [0]))
    assert looks.job("e", 1, judge, [0]) is job
    assert ended(looks.job("e", 2, judge, [0])) is not job


def test_what_is_under_way_ends_after_the_answer_at_hand(source: FileSource, tmp_path: Path) -> None:
    engine = GatedEngine()
    path = tmp_path / "waiting.jsonl"
    row = {"answer": "Please wait here.", "passages": ["It is so."]}
    path.write_text("".join(json.dumps({"id": str(n), **row}) + "\n" for n in range(3)))
    looks = SecondLooks(FileSource(JsonRows(path)))
    job = looks.job("", 1, Guard(engine=engine, policy=Policy.monitor().with_(deadline=None)), [0, 1, 2])
    engine.wait_until_entered()
    looks.stop()
    engine.open.set()
    assert (ended(job).state, job.done) == ("stopped", 1)


def test_what_somebody_checked_already_stays_as_it_is(source: FileSource) -> None:
    with source.open() as connection:
        record = source.find(connection, "a0")
    assert record is not None
    once = checked(source, record, guard(so="contradicted"))
    assert once["verdict"] == "contradicted"
    assert checked(source, once, guard()) is once
    assert verdict_of(source, "a0") == "contradicted"


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (("supported", 0.9), ("supported", 0.1), 0.0),
        (("contradicted", 0.1), ("unsupported", 0.4), 0.0),
        (("supported", 0.9), ("contradicted", 0.1), 1.8),
        (("unsupported", 0.45), ("supported", 0.55), 1.1),
        (("unverified", 0.0), ("contradicted", 0.0), 0.0),
        (("abstained", None), ("unsupported", 0.25), 1.25),
    ],
)
def test_how_far_apart_two_engines_are(
    one: tuple[str, float | None], other: tuple[str, float | None], apart: float
) -> None:
    records = [{"verdict": verdict, "score": score} for verdict, score in (one, other)]
    assert distance(*records) == distance(*reversed(records)) == pytest.approx(apart)
