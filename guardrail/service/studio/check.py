"""The Check view: one answer, with everything that the report and the matrix say of it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail import __version__
from guardrail.check.answer_lines import PassageRecord, Record
from guardrail.check.drivers import arun
from guardrail.evaluation.data.demo_case import load_case
from guardrail.guard import Guard
from guardrail.service.replies import json_reply
from guardrail.service.studio.bodies import read_body, unless_left
from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.matrix import Kept, keeping, matrix_record, relation_records
from guardrail.service.studio.studio import Studio
from guardrail.types import EntityGroup, GuardedAnswer, Passage, Report
from guardrail.types.report import passage_record

MOST_PASSAGES = 5_000


class CheckBody(BaseModel):
    """One answer to check, and how; an engine or policy left out is the default one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    answer: str
    passages: list[str | PassageRecord] = Field(max_length=MOST_PASSAGES)
    question: str | None = None
    engine: str | None = None
    policy: str | None = None


def routes(studio: Studio) -> list[Route]:
    """What can be chosen, the examples, and the check."""

    async def choices(_: Request) -> Response:
        return json_reply(
            {
                "engines": studio.engines,
                "policies": studio.policies,
                "source": None if studio.source is None else studio.source.name,
                "version": __version__,
            }
        )

    async def examples(_: Request) -> Response:
        return json_reply({"examples": load_examples()})

    async def check(request: Request) -> Response:
        body = await read_body(request, CheckBody)
        if not body.answer.strip():
            raise StudioError(422, "There is no answer to check.", "answer")
        guard = await studio.run(studio.guard, body.policy, body.engine)
        return json_reply(await unless_left(request, checked(studio, guard, body)))

    return [
        Route("/api/choices", choices),
        Route("/api/examples", examples),
        Route("/api/check", check, methods=["POST"]),
    ]


async def checked(studio: Studio, guard: Guard, body: CheckBody) -> dict[str, Any]:
    """The report on one answer, its matrix, and what the policy delivers, as JSON.

    Once cancelled it stops the engine.

    Raises:
        UsageError: two passages share an id.
    """
    kept = Kept()
    item = Record(answer=body.answer, passages=body.passages, question=body.question)
    try:
        report = await arun(
            guard.checking(item.answer, item.to_passages(), question=item.question, engine=keeping(guard.judge, kept))
        )
        guarded = await arun(guard.repairing(report))
    finally:
        kept.stop.set()
    return await studio.run(check_record, guard, report, guarded, kept)


def check_record(guard: Guard, report: Report, guarded: GuardedAnswer, kept: Kept) -> dict[str, Any]:
    """What the page shows of one check: the report on the answer as it came, and what became of it."""
    actions = dict(guard.policy.current().decide(report).finding_actions)
    found, delivered = report.to_dict(texts=True), guarded.to_dict(texts=True)
    return {
        **found,
        **{key: delivered[key] for key in ("action", "policy", "rule", "attempts", "exhausted", "text")},
        "findings": [{**each, "action": actions.get(each["id"])} for each in found["findings"]],
        "answer": report.answer,
        "question": report.question,
        "passages": [passage_record(passage) for passage in report.passages],
        "seconds": round(report.seconds, 3),
        "groups": [_group(group, report.passages) for group in report.groups],
        "relations": relation_records(kept),
        "matrix": matrix_record(kept),
    }


def _group(group: EntityGroup, passages: tuple[Passage, ...]) -> dict[str, Any]:
    """Who is who: the segments about one individual, and which of several namesakes it is."""
    entity = group.entity
    return {
        "id": group.id,
        "name": group.name,
        "segments": group.segments,
        "entity": None
        if entity is None
        else {"name": entity.name, "title": entity.title, "passages": [passages[n].id for n in entity.passages]},
    }


@cache
def load_examples() -> list[dict[str, Any]]:
    """The shipped examples: those of ``guardrail demo``, and some in Chinese. Each is a request for a check."""
    case = load_case()
    english = [
        {
            "title": question,
            "language": "English",
            "question": question,
            "answer": answer,
            "passages": [passage_record(passage) for passage in case.documents],
        }
        for question, answer in case.answers.items()
    ]
    chinese = json.loads(files("guardrail.service.studio").joinpath("examples.json").read_text(encoding="utf-8"))
    return [*english, *chinese]
