"""The conformance suite fails on every engine that breaks the contract, and passes on those that keep it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

import pytest

from guardrail import EngineError, EngineTimeout
from guardrail.testing import FakeEngine, check_engine
from guardrail.types import Cell, Row, Span, SupportMatrix


@dataclass(frozen=True)
class Bent:
    """A fake engine whose rows go through ``bend``."""

    bend: object
    name: str = "bent"

    def verify(self, request):
        return SupportMatrix(rows=tuple(self.bend(list(FakeEngine().verify(request).rows), request)))


@dataclass(frozen=True)
class Awaited:
    """An async engine around a sync one."""

    inner: object
    name: str = "awaited"

    async def averify(self, request):
        await asyncio.sleep(0)
        return self.inner.verify(request)


def each(**changes):
    """Bend every row the same way."""
    return lambda rows, _: [replace(row, **changes) for row in rows]


def _by_order(rows, request):
    first = request.passages[0].id == "dam"
    return [replace(row, supported=0.9 if first else 0.2) for row in rows]


def _late_is_fine(rows, request):
    cells = (Cell(supported=0.9, contradicted=0.0),) * len(request.passages)
    return [Row(segment_id=row.segment_id, cells=cells, supported=0.9) for row in rows]


def _unread(rows, _):
    return [replace(row, cells=(*row.cells[:-1], None)) for row in rows]


def _crash_on_empty(rows, request):
    return [row for row, segment in zip(rows, request.segments, strict=True) if segment.text[0] != "?"]


BROKEN = {
    "missing row": (lambda rows, _: rows[:-1], r"plain request: must return one row per segment.*got \['s1', 's2'\]"),
    "surplus row": (lambda rows, _: [*rows, *rows[:1]], r"plain request: must return one row per segment"),
    "order": (lambda rows, _: rows[::-1], r"plain request: must return one row per segment, in order"),
    "cells": (each(cells=()), r"plain request: row 's1' must have 3 cells, got 0"),
    "nan": (each(supported=float("nan")), r"plain request: row 's1': probabilities .* got nan"),
    "percent": (each(contradicted=96.0), r"plain request: row 's1': probabilities .* got 96.0"),
    "cell": (each(cells=(Cell(supported=-0.1, contradicted=0.0),) * 3), r"probabilities .* got -0.1"),
    "passage": (each(evidence=((3, Span(0, 1)),)), r"evidence in passage 3, which does not exist"),
    "span": (each(evidence=((0, Span(0, 10_000)),)), r"evidence span \(0, 10000\) is not inside passage 0"),
    "empty span": (each(evidence=((0, Span(4, 4)),)), r"evidence span \(4, 4\) is not inside passage 0"),
    "cell span": (
        each(cells=(Cell(supported=0.9, contradicted=0.0, evidence=(Span(-1, 2),)),) * 3),
        r"evidence span \(-1, 2\)",
    ),
    "must_read": (_unread, r"must_read: row 's1' left out \[2\]"),
    "order of passages": (_by_order, r"other order of passages: supported of row 's1' moved by 0.70"),
    "deadline": (_late_is_fine, r"expired deadline: row 's1' must be unverified"),
    "crash": (_crash_on_empty, r"odd segments: the engine raised IndexError"),
}


@pytest.mark.parametrize("wrap", [lambda engine: engine, Awaited], ids=["sync", "async"])
@pytest.mark.parametrize(("bend", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_engine_is_told_what_is_broken(bend, message, wrap):
    """The message names the case, the row and what came back."""
    with pytest.raises(AssertionError, match=message):
        check_engine(wrap(Bent(bend)))


@dataclass
class Shared:
    """Keeps the request of a call on itself, so calls at once see each other's."""

    name: str = "shared"
    now: object = None

    def verify(self, request):
        self.now = request
        time.sleep(0.05)
        return FakeEngine().verify(self.now)


def test_state_of_a_call_on_the_engine_is_found_out():
    """Several calls at once with segments in different orders."""
    with pytest.raises(AssertionError, match="several calls at once: must return one row per segment, in order"):
        check_engine(Shared())


def test_what_is_no_engine_or_no_matrix_is_said():
    """The two ways to misread the protocol."""
    with pytest.raises(AssertionError, match="object needs `name` and `verify`"):
        check_engine(object())
    with pytest.raises(AssertionError, match="name is no text"):
        check_engine(Bent(None, name=""))

    class Lists:
        name = "lists"

        def verify(self, request):
            return []

    with pytest.raises(AssertionError, match="must return a SupportMatrix, got list"):
        check_engine(Lists())


def test_engines_that_keep_the_contract_pass():
    """Sync, async, also inside a running loop; an EngineError is a fair answer to an expired deadline only."""
    check_engine(FakeEngine({"Rita": "contradicted", "dam": "unverified"}))
    check_engine(Awaited(FakeEngine()))

    async def inside():
        check_engine(Awaited(FakeEngine()))

    asyncio.run(inside())

    def impatient(rows, request):
        if request.expired():
            raise EngineTimeout("late")
        return rows

    check_engine(Bent(impatient))
    with pytest.raises(AssertionError, match="plain request: the engine raised EngineError: down"):
        check_engine(FakeEngine(default=EngineError("down")))
