"""The Label view: which answer is next, what it says, what people say of it, and how far they agree."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.errors import UsageError
from guardrail.evaluation.agreement import agreement
from guardrail.evaluation.data.label_rows import read_label
from guardrail.evaluation.data.rows import RowError
from guardrail.evaluation.labels import RANDOM, SKIPPED, WHOLE, Item, Label, Labels, differ, is_done
from guardrail.evaluation.wording import plain
from guardrail.service.studio.bodies import read_object
from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.labelling import queue
from guardrail.service.studio.labelling.journal import Journal
from guardrail.service.studio.labelling.second_look import Looked, SecondLooks, checked
from guardrail.service.studio.labelling.sheet import Record, item_of, said_rows, shown, unfit
from guardrail.service.studio.recorded.jobs import Job
from guardrail.service.studio.recorded.opened import reply, source_of
from guardrail.service.studio.recorded.source import UNCHECKED, Source
from guardrail.service.studio.studio import Studio
from guardrail.telemetry.records import RecordStore
from guardrail.telemetry.records.record import KINDS

NO_LABELS = (
    "The studio was started without anything to label. Start it with a record store or a file of answers: "
    "guardrail studio answers.jsonl. In a service, set `records`."
)
_NAME = 60


def routes(studio: Studio) -> list[Route]:
    """Queue, one answer, labels, undo, and people."""
    desk = Desk(studio)

    async def listed(request: Request) -> Response:
        return reply(await studio.run(desk.queue, request.query_params))

    async def item(request: Request) -> Response:
        query = request.query_params
        return reply(await studio.run(desk.sheet, query.get("id", ""), query.get("by", ""), query.get("order", "")))

    async def say(request: Request) -> Response:
        return reply(await studio.run(desk.say, await read_object(request)))

    async def undo(request: Request) -> Response:
        return reply(await studio.run(desk.undo, await read_object(request)))

    async def people(_: Request) -> Response:
        return reply(await studio.run(desk.people))

    async def stop(_: Request) -> Response:
        desk.stop()
        return reply({})

    return [
        Route("/api/label/queue", listed),
        Route("/api/label/item", item),
        Route("/api/label/say", say, methods=["POST"]),
        Route("/api/label/undo", undo, methods=["POST"]),
        Route("/api/label/people", people),
        Route("/api/label/stop", stop, methods=["POST"]),
    ]


class Desk:
    """What the view asks of the studio."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._looks: SecondLooks | None = None

    def queue(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Ids of the answers to label, in order, with what ``by`` did of each, and what is still being looked at."""
        order, seed, limit = query.get("order", RANDOM), query.get("seed", "1"), query.get("limit", "60")
        if order not in queue.ORDERS:
            raise StudioError(422, f"order must be one of {', '.join(queue.ORDERS)}.", "order")
        if not seed.isdecimal() or len(seed) > 9:
            raise StudioError(422, "seed must be a whole number of at most nine digits.", "seed")
        if not limit.isdecimal() or not 1 <= int(limit[:5]) <= queue.MOST:
            raise StudioError(422, f"limit must be 1 to {queue.MOST}.", "limit")
        by, job = query.get("by", ""), None
        journal = self._journal()
        if order == queue.PEOPLE:
            with journal.read() as labels:
                idents = queue.people_differ(labels)[: int(limit)]
        else:
            idents, job = self._drawn(order, int(seed), int(limit), query.get("engine", ""))
        with journal.read() as labels:
            states = [{"id": ident, "state": _state(labels, ident, by)} for ident in idents]
        return {"order": order, "items": states, "job": job, "engines": self._studio.engines}

    def _drawn(self, order: str, seed: int, limit: int, engine: str) -> tuple[list[str], dict[str, Any] | None]:
        source = source_of(self._studio)
        job: Job[Looked] | None = None
        with source.open() as connection:
            left = queue.unchecked(connection) if order in (queue.WORST, queue.UNCERTAIN) else 0
            looks = bool(left or (order == queue.ENGINES and engine))
            drawn = []
            if looks or order == RANDOM:
                drawn = queue.draw(queue.drawable_of(source, connection), seed, queue.MOST if looks else limit)
        if order == queue.ENGINES and engine:
            self._looks = self._looks or SecondLooks(source)
            job = self._looks.job(engine, seed, self._studio.guard(engine=engine), drawn, first=self._studio.guard())
        elif left:
            self._looks = self._looks or SecondLooks(source)
            job = self._looks.job("", seed, self._studio.guard(), drawn)
        with source.open() as connection:
            if order == queue.WORST:
                drawn = queue.worst(connection, limit)
            elif order == queue.UNCERTAIN:
                drawn = queue.uncertain(connection, self._studio.policy().threshold, limit)
            elif order == queue.ENGINES:
                drawn = queue.recorded_apart(connection, limit) if job is None else job.result.furthest()[:limit]
            fit = [n for n, record in source.read(connection, drawn) if unfit(record) is None]
            idents = list(queue.idents(connection, fit))
        return idents, None if job is None else _progress(job)

    def sheet(self, ident: str, by: str, order: str) -> dict[str, Any]:
        """One answer with what ``by`` said of it."""
        item, record = self._item(ident, order)
        with self._journal().read() as labels:
            others = {
                name: own for name, own in labels.now.get(item.id, {}).items() if name != by and own
            } if order == queue.PEOPLE else {}  # fmt: skip
            return shown(item, labels.said(item.id, by), others, record)

    def _item(self, ident: str, order: str) -> tuple[Item, Record | None]:
        """The answer as it was labelled first, else as it is recorded; a file's is checked where nobody did."""
        with self._journal().read() as labels:
            known = labels.items.get(ident)
        source = None if self._studio.records is None else source_of(self._studio)
        record = None if source is None else _find(source, ident)
        if record is not None and (known is None or record["answer"] == known.answer):
            why = unfit(record)
            if why is not None:
                raise StudioError(422, f"This answer cannot be labelled. {why}", "id")
            if source is not None and record["verdict"] == UNCHECKED:
                record = checked(source, record, self._studio.guard())
            return known or item_of(record, order), record
        if known is None:
            raise StudioError(404, "This answer is gone: it was deleted, or the studio runs on another file.", "id")
        return known, None

    def say(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a label; the reply comes when it is on the disk."""
        item, _ = self._item(str(sent.get("item", "")), str(sent.get("order", "")))
        row = {**sent, "by": _name(sent.get("by")), "key": secrets.token_hex(8), "at": time.time(), "undoes": None}
        try:
            label = read_label(row, {item.id: item})
        except RowError as error:
            raise StudioError(422, f"{error}.") from error
        journal = self._journal()
        journal.append(item, label)
        return self._kept(journal, item, label)

    def undo(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Take back the last label of ``by``, wherever it was."""
        journal = self._journal()
        label = journal.undo(_name(sent.get("by")), secrets.token_hex(8), time.time())
        if label is None:
            raise StudioError(409, "There is nothing to undo.")
        with journal.read() as labels:
            item = labels.items[label.item]
        return self._kept(journal, item, label)

    def _kept(self, journal: Journal, item: Item, label: Label) -> dict[str, Any]:
        warning = self._store(label)
        with journal.read() as labels:
            said = labels.said(item.id, label.by)
            return {
                "item": item.id,
                "segment": label.segment,
                "said": said_rows(said),
                "state": _state(labels, item.id, label.by),
                "warning": warning,
            }

    def _store(self, label: Label) -> str | None:
        """The label in the record store, too, where there is one; why it could not be kept there."""
        records = self._studio.records
        if not isinstance(records, RecordStore):
            return None
        word = label.label if label.label in [kind.value for kind in KINDS] else None
        try:
            records.label(label.item, word, label.segment or None, error_type=label.error_type, by=label.by)
        except UsageError as error:
            return f"Kept in the label file, but not in the record store: {error}"
        return None

    def people(self) -> dict[str, Any]:
        """Who labelled how much, and how far each two agree."""
        journal = self._journal()
        with journal.read() as labels:
            return {
                "file": journal.path.name,
                "store": isinstance(self._studio.records, RecordStore),
                "people": [_work(labels, name) for name in labels.people()],
                "agreement": [asdict(pair) for pair in agreement(labels)],
                "differ": sum(differ(item, labels.now.get(ident, {})) for ident, item in labels.items.items()),
            }

    def stop(self) -> None:
        """End what is looked at in the background."""
        if self._looks is not None:
            self._looks.stop()

    def _journal(self) -> Journal:
        if self._studio.labels is None:
            raise StudioError(404, NO_LABELS, "source")
        return self._studio.labels


def _progress(job: Job[Looked]) -> dict[str, Any]:
    return {"state": job.state, "done": job.done, "total": job.total, "failed": job.result.failed, "error": job.error}


def _find(source: Source, ident: str) -> Record | None:
    with source.open() as connection:
        return source.find(connection, ident)


def _state(labels: Labels, ident: str, by: str) -> str:
    """``new``, ``begun``, ``done`` or ``skipped``."""
    item, said = labels.items.get(ident), labels.said(ident, by)
    if item is None or not said:
        return "new"
    if WHOLE in said and said[WHOLE].label == SKIPPED:
        return "skipped"
    return "done" if is_done(item, said) else "begun"


def _work(labels: Labels, name: str) -> dict[str, Any]:
    own = {ident: said for ident in labels.items if (said := labels.said(ident, name))}
    return {
        "name": name,
        "answers": sum(is_done(labels.items[ident], said) for ident, said in own.items()),
        "sentences": sum(label.label != SKIPPED for said in own.values() for label in said.values()),
        "last": max(label.at for said in own.values() for label in said.values()),
    }


def _name(given: object) -> str:
    name = plain(given).strip() if isinstance(given, str) else ""
    if not name or len(name) > _NAME:
        raise StudioError(422, f"Say who labels: a name of at most {_NAME} characters.", "by")
    return name
