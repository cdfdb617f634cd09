"""Many answers at once: in order, several in flight, inside one time and one budget."""

import asyncio
import threading

import pytest

from guardrail import Guard, Policy, UsageError
from guardrail.check.contract import VerifyRequest
from guardrail.types import Cell, Row, SupportMatrix, Usage

PATIENT = Policy.monitor().with_(deadline=None)


class Meeting:
    """Supports everything once as many answers as it waits for are in flight; each costs two calls."""

    name = "meeting"

    def __init__(self, together: int = 1) -> None:
        self.asked: list[str] = []
        self.barrier = threading.Barrier(together)

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        self.asked.append(request.segments[0].text)
        self.barrier.wait(timeout=300)
        cells = (Cell(supported=0.9, contradicted=0.0),) * len(request.passages)
        rows = tuple(Row(segment_id=s.id, cells=cells, supported=0.9) for s in request.segments)
        return SupportMatrix(rows=rows, usage=Usage(calls=2))


def answers(count: int) -> list[dict[str, object]]:
    return [
        {"id": n, "answer": f"The dam has {n + 2} gates.", "passages": ["The dam has gates."]} for n in range(count)
    ]


def texts(reports: list[object]) -> list[str]:
    return [report.answer for report in reports]  # type: ignore[attr-defined]


async def gathered(guard: Guard, *args: object, **options: object) -> list[object]:
    return [report async for report in guard.acheck_many(*args, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("awaited", [False, True])
def test_several_are_in_flight_and_come_in_order(awaited: bool) -> None:
    """The engine answers only when four ask at once."""
    guard = Guard(engine=Meeting(4), policy=PATIENT)
    todo = answers(8)
    got = asyncio.run(gathered(guard, todo, at_once=4)) if awaited else list(guard.check_many(todo, at_once=4))
    assert texts(got) == [item["answer"] for item in todo]
    assert {report.verdict for report in got} == {"supported"}


@pytest.mark.parametrize("awaited", [False, True])
def test_the_budget_is_shared(awaited: bool) -> None:
    """Four calls are two answers; the others are not asked about, and say why."""
    engine = Meeting()
    guard = Guard(engine=engine, policy=PATIENT)
    options = {"at_once": 1, "max_calls": 4}
    got = (
        asyncio.run(gathered(guard, answers(5), **options))
        if awaited
        else list(guard.check_many(answers(5), **options))
    )
    assert [report.verdict for report in got] == ["supported"] * 2 + ["unverified"] * 3
    assert {finding.cause for report in got[2:] for finding in report.findings} == {"budget"}
    assert len(engine.asked) == 2


def test_the_time_is_shared() -> None:
    """The first answer takes all of it; the others are not begun."""
    waited = threading.Event()

    class Slow(Meeting):
        def verify(self, request: VerifyRequest) -> SupportMatrix:
            waited.wait(0.3)
            return super().verify(request)

    engine = Slow()
    got = list(Guard(engine=engine, policy=PATIENT).check_many(answers(3), at_once=1, seconds=0.2))
    assert len(engine.asked) == 1
    assert {finding.cause for report in got[1:] for finding in report.findings} == {"timeout"}


def test_answers_are_taken_as_they_are_needed() -> None:
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield answers(1)[0]

    reports = Guard(engine=Meeting(), policy=PATIENT).check_many(endless(), at_once=2)
    assert next(reports).verdict == "supported"
    assert len(taken) < 20
    reports.close()


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("text", "must be a mapping"),
        ({"answer": "x"}, "lacks 'passages'"),
        ({"answer": "x", "passages": [], "context": []}, "unknown key 'context'"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_number(item: object, why: str) -> None:
    with pytest.raises(UsageError, match=f"answer 2 .*{why}"):
        list(Guard(engine=Meeting(), policy=PATIENT).check_many([answers(1)[0], item]))


@pytest.mark.parametrize("options", [{"at_once": 0}, {"seconds": 0}, {"max_calls": -1}])
def test_options_out_of_range_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        Guard(engine=Meeting(), policy=PATIENT).check_many([], **options)
