"""Labelled answers judged in the background, each once."""

from __future__ import annotations

from guardrail import Guard, Policy
from guardrail.evaluation import LabelledAnswer
from guardrail.service.studio.recorded.jobs import Job
from guardrail.service.studio.setting.judging import Judgings, Kind
from guardrail.testing import FakeEngine
from guardrail.types import Passage, Verdict
from tests.support.service_engines import GatedEngine
from tests.support.services import wait_until

KIND: Kind = ("fake", "", None)


def labelled(*answers: str) -> list[LabelledAnswer]:
    return [
        LabelledAnswer(
            id=f"a{number}", answer=answer, passages=(Passage(text="It is so.", id="1"),), label=Verdict.SUPPORTED
        )
        for number, answer in enumerate(answers)
    ]


def guard_of(engine: FakeEngine | GatedEngine) -> Guard:
    return Guard(engine=engine, policy=Policy.monitor().with_(deadline=None))


def ended(job: Job[None]) -> Job[None]:
    wait_until(lambda: job.state != "running")
    return job


def test_answers_are_judged_once_though_labels_come_and_go() -> None:
    engine, judgings = FakeEngine({"wrong": "contradicted"}), Judgings()
    rows = labelled("It is so.", "It is wrong.", "It is wrong.")
    assert judgings.judged(KIND, rows) is None
    assert ended(judgings.begin(KIND, guard_of(engine), rows, again=False)).done == 3
    found = judgings.judged(KIND, rows)
    assert found is not None
    assert [one.report.verdict for one in found] == ["supported", "contradicted", "contradicted"]
    asked = len(engine.calls)
    more = [*rows, *labelled("It is new.")]
    assert judgings.judged(KIND, more) is None
    job = ended(judgings.begin(KIND, guard_of(engine), more, again=False))
    assert (job.done, job.total, len(engine.calls) - asked) == (1, 1, 1)
    assert judgings.judged(KIND, rows[:1]) is not None


def test_another_engine_judges_anew() -> None:
    judgings, rows = Judgings(), labelled("It is so.")
    ended(judgings.begin(KIND, guard_of(FakeEngine()), rows, again=False))
    assert judgings.judged(("fake", "", 3.0), rows) is None
    assert judgings.judged(("other", "", None), rows) is None


def test_what_was_stopped_goes_on_only_when_it_is_asked_for_again() -> None:
    engine, judgings = GatedEngine(), Judgings()
    rows = labelled("Please wait here.", "It is so.")
    job = judgings.begin(KIND, guard_of(engine), rows, again=False)
    engine.wait_until_entered()
    assert judgings.begin(KIND, guard_of(engine), rows, again=True) is job
    judgings.stop()
    engine.open.set()
    assert (ended(job).state, job.done) == ("stopped", 1)
    assert judgings.begin(KIND, guard_of(engine), rows, again=False) is job
    again = ended(judgings.begin(KIND, guard_of(engine), rows, again=True))
    assert (again.state, again.total, engine.order) == ("done", 1, ["Please wait here.", "It is so."])


def test_what_cannot_be_checked_ends_the_job_with_its_reason() -> None:
    judgings = Judgings()
    twice = [
        LabelledAnswer(
            id="a", answer="It is so.", passages=(Passage(text="a", id="1"), Passage(text="b", id="1")),
            label=Verdict.SUPPORTED,
        )
    ]  # fmt: skip
    job = ended(judgings.begin(KIND, guard_of(FakeEngine()), twice, again=False))
    assert job.state == "failed"
    assert "same id" in str(job.error)
    assert judgings.judged(KIND, twice) is None
