"""The support matrix of one check: an engine that keeps what another one gave, and can be told to stop."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from guardrail.check.contract import AsyncEngine, Draft, Engine, VerifyRequest
from guardrail.check.logic import check_logic
from guardrail.check.matrix import evidence_texts
from guardrail.types import LogicVerdict, Row, Segment, SupportMatrix


@dataclass(slots=True)
class Kept:
    """What the engine was asked in one check, and what it said; None until then.

    Setting ``stop`` makes an engine that looks at its deadline (all that work in a thread do) end at once.
    """

    request: VerifyRequest | None = None
    matrix: SupportMatrix | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def set(self, request: VerifyRequest, matrix: SupportMatrix) -> SupportMatrix:
        """Keep both."""
        self.request, self.matrix = request, matrix
        return matrix


def keeping(engine: Engine | AsyncEngine, kept: Kept) -> Engine | AsyncEngine:
    """The same engine, with what it is asked and says also in ``kept``."""
    methods: dict[str, Any] = {"name": engine.name}
    verify: Callable[[VerifyRequest], SupportMatrix] | None = getattr(engine, "verify", None)
    averify: Callable[[VerifyRequest], Awaitable[SupportMatrix]] | None = getattr(engine, "averify", None)
    if verify is not None:
        methods["verify"] = lambda _, request: kept.set(request, verify(_stoppable(request, kept)))
    if averify is not None:

        async def awaited(_: object, request: VerifyRequest) -> SupportMatrix:
            return kept.set(request, await averify(_stoppable(request, kept)))

        methods["averify"] = awaited
    for name in ("decompose", "adecompose"):
        decompose: Callable[[Any], Draft | Awaitable[Draft]] | None = getattr(engine, name, None)
        if decompose is not None:
            methods[name] = staticmethod(decompose)
    return cast("Engine | AsyncEngine", type("KeepingEngine", (), methods)())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stoppable(VerifyRequest):
    stop: threading.Event

    def expired(self) -> bool:
        return self.stop.is_set() or VerifyRequest.expired(self)


def _stoppable(request: VerifyRequest, kept: Kept) -> VerifyRequest:
    return _Stoppable(**{each.name: getattr(request, each.name) for each in fields(request)}, stop=kept.stop)


def matrix_record(kept: Kept) -> dict[str, Any]:
    """The matrix as JSON: per segment both probabilities, and the cells that were read.

    ``rows``: ``{"segment_id", "supported", "contradicted", "cells": [[number of passage, supported, contradicted]]}``;
    the probabilities are null where the segment was not verified.
    """
    return {"rows": [_row(row) for row in kept.matrix.rows] if kept.matrix else []}


def _row(row: Row) -> dict[str, Any]:
    judged = row.unverified is None
    return {
        "segment_id": row.segment_id,
        "supported": round(row.supported, 4) if judged else None,
        "contradicted": round(row.contradicted, 4) if judged else None,
        "cells": [
            [number, round(cell.supported, 4), round(cell.contradicted, 4)]
            for number, cell in enumerate(row.cells)
            if cell is not None
        ],
    }


def relation_records(kept: Kept) -> list[dict[str, Any]]:
    """What the segments' connectives state, and whether the passages license it (null: they do not speak of it)."""
    if kept.request is None or kept.matrix is None:
        return []
    rows = {row.segment_id: row for row in kept.matrix.rows}
    given = {verdict.segment_id: verdict for verdict in kept.matrix.logic}
    return [
        {
            "segment_id": segment.id,
            "kind": relation.kind.value,
            "connective": relation.connective,
            "first": relation.first,
            "second": relation.second,
            **_licence(segment, rows, given, kept.request),
        }
        for segment in kept.request.segments
        for relation in segment.relations
        if segment.id in rows
    ]


def _licence(
    segment: Segment, rows: Mapping[str, Row], given: Mapping[str, LogicVerdict], request: VerifyRequest
) -> dict[str, Any]:
    """The engine's verdict on the relation, else that of the rules, as the check itself takes it."""
    evidence = evidence_texts(rows[segment.id], request.passages)
    found = given.get(segment.id) or check_logic(segment.id, segment.text, segment.relations, evidence)
    return {"consistent": found.consistent, "reason": found.reason}
