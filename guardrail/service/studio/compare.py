"""The Compare view: engines, policies and what was recorded on the same answers, or releases on the same questions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.errors import UsageError
from guardrail.service.studio.bodies import read_object
from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.recorded.comparison import Comparison, disagreement, says
from guardrail.service.studio.recorded.contest import MOST, ORDERS, Judge, judge_all, pair_questions
from guardrail.service.studio.recorded.jobs import Job, Jobs
from guardrail.service.studio.recorded.opened import chosen_of, reply, source_of
from guardrail.service.studio.recorded.summary import summary
from guardrail.service.studio.studio import Studio
from guardrail.telemetry.labels import KEYS

SIDES = 4
"""Sides of one comparison at most."""

SHOWN = 100
"""Answers in the list of one reply, those on which the sides differ most."""

RECORDED = "as recorded"


def routes(studio: Studio) -> list[Route]:
    """Begin a comparison, look how far it is, stop it, and one of its answers."""
    jobs: Jobs[Comparison] = Jobs()

    async def begin(request: Request) -> Response:
        job = await studio.run(start, studio, jobs, await read_object(request))
        return reply({"id": job.id})

    async def state(request: Request) -> Response:
        return reply(await studio.run(state_of, _job(jobs, request)))

    async def stop(request: Request) -> Response:
        job = _job(jobs, request)
        job.stop()
        return reply({"id": job.id})

    async def answer(request: Request) -> Response:
        return reply(opinions_on(_job(jobs, request), request.path_params["number"]))

    return [
        Route("/api/compare", begin, methods=["POST"]),
        Route("/api/compare/{job}", state),
        Route("/api/compare/{job}/stop", stop, methods=["POST"]),
        Route("/api/compare/{job}/answers/{number:int}", answer),
    ]


def start(studio: Studio, jobs: Jobs[Comparison], sent: Mapping[str, Any]) -> Job[Comparison]:
    """Begin what was asked for: ``sides`` of engines and policies, or ``by`` a label with its ``values``.

    Raises:
        StudioError: something in it is not understood, or too many are at work.
    """
    source, now = source_of(studio), time.time()
    filters = sent.get("filters") or {}
    if not isinstance(filters, dict) or not all(isinstance(value, str) for value in filters.values()):
        raise StudioError(422, "filters must be names with texts.", "filters")
    by = sent.get("by")
    chosen = chosen_of({key: value for key, value in filters.items() if key != by}, now)
    if by is not None:
        if by not in KEYS:
            raise StudioError(422, f"by must be one of {', '.join(KEYS)}.", "by")
        names = _sides(sent.get("values"), "values")
        if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
            raise StudioError(422, f"Choose different values of {by}.", "values")
        return _begun(
            jobs,
            Comparison(names=tuple(names), same="questions"),
            lambda job: pair_questions(job, source, chosen, now, str(by)),
        )
    judges = tuple(_judge(studio, side) for side in _sides(sent.get("sides"), "sides"))
    if len({judge.name for judge in judges}) < len(judges):
        raise StudioError(422, "Two sides are the same. Choose another engine or policy for one of them.", "sides")
    order, limit = str(sent.get("order") or "newest"), sent.get("limit", 100)
    if order not in ORDERS:
        raise StudioError(422, f"order must be one of {', '.join(ORDERS)}.", "order")
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST:
        raise StudioError(422, f"The number of answers must be 1 to {MOST}.", "limit")
    if chosen.needle:
        raise StudioError(422, "A comparison cannot search in texts. Choose by verdict, label or time.", "text")
    return _begun(
        jobs,
        Comparison(names=tuple(judge.name for judge in judges)),
        lambda job: judge_all(job, source, chosen, now, judges, order, limit),
    )


def state_of(job: Job[Comparison]) -> dict[str, Any]:
    """How far it is, the table, and the answers on which the sides differ most."""
    found = job.result
    rows = found.sorted_rows()[:SHOWN]
    return {
        "id": job.id,
        "state": job.state,
        "error": job.error,
        "done": job.done,
        "total": job.total,
        "names": found.names,
        "same": found.same,
        "n": len(found.rows),
        "passed_over": found.passed_over,
        "sides": [asdict(side) for side in found.sides()],
        "pairs": [asdict(pair) for pair in found.pairs()],
        "rows": [_row(found, number) for number in rows],
    }


def opinions_on(job: Job[Comparison], number: int) -> dict[str, Any]:
    """One answer with what each side says of it, whole."""
    if number >= len(job.result.rows):
        raise StudioError(404, "There is no such answer in this comparison.")
    return {"names": job.result.names, "same": job.result.same, "opinions": job.result.rows[number].opinions}


def _row(found: Comparison, number: int) -> dict[str, Any]:
    row = found.rows[number]
    differs, acts, spread = disagreement(row)
    return {
        "number": number,
        "differs": bool(differs),
        "acts_differ": bool(acts),
        "spread": spread,
        "opinions": [
            None if o is None else {**summary(o), "unfaithful": says(o, "unfaithful"), "acted": says(o, "acted")}
            for o in row.opinions
        ],
    }


def _begun(jobs: Jobs[Comparison], result: Comparison, work: Callable[[Job[Comparison]], None]) -> Job[Comparison]:
    try:
        return jobs.start(result, work)
    except UsageError as error:
        raise StudioError(409, str(error)) from error


def _sides(given: object, field: str) -> Sequence[Any]:
    if not isinstance(given, list) or not 2 <= len(given) <= SIDES:
        raise StudioError(422, f"Choose two to {SIDES} sides.", field)
    return given


def _judge(studio: Studio, side: object) -> Judge:
    if not isinstance(side, dict):
        raise StudioError(422, "A side is an engine with a policy, or what was recorded.", "sides")
    if side.get("recorded") is True:
        return Judge(name=RECORDED, guard=None)
    engine, policy = side.get("engine"), side.get("policy")
    if not isinstance(engine, str) or not isinstance(policy, str):
        raise StudioError(422, "A side needs the names of an engine and a policy.", "sides")
    return Judge(name=f"{engine} · {policy}", guard=studio.guard(policy, engine))


def _job(jobs: Jobs[Comparison], request: Request) -> Job[Comparison]:
    job = jobs.get(request.path_params["job"])
    if job is None:
        raise StudioError(404, "This comparison is gone. Begin a new one.", "id")
    return job
