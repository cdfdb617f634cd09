"""The conformance suite for engines. No test framework is needed.

from guardrail.testing import check_engine
check_engine(MyEngine())
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from guardrail.check.contract import AsyncEngine, Engine, VerifyRequest
from guardrail.errors import EngineError
from guardrail.types import Cause, Passage, Segment, Span, SupportMatrix

TOLERANCE = 0.2
"""How far P(supported) may move when nothing changes but the order of the passages or the other calls at work."""

_PASSAGES = (
    Passage(id="dam", title="Larkmoor Dam", text="Larkmoor Dam was built between 1958 and 1963. It is 64 metres high."),
    Passage(id="lake", text="The reservoir holds 41 million cubic metres of water. Boats are not allowed on it."),
    Passage(id="bees", text="Honey bees dance to tell others of their hive where flowers are."),
)
_TEXTS = (
    "Larkmoor Dam was built between 1958 and 1963.",
    "The reservoir holds 41 million cubic metres of water.",
    "Rita Halloway painted the turbines in 1999.",
)
_ODD = ("", " \n", "\x00", "a\ud800b", "שלום 😀 مرحبا", "<b>&amp;</b>", "dam " * 1_250, "水" * 5_000)


def check_engine(engine: Engine | AsyncEngine) -> None:
    """Check that an engine keeps the contract of ``guardrail.check.contract``; its accuracy is not judged here.

    Makes 10 calls with at most 8 segments and 3 short passages each. An async engine runs in one event loop.

    Raises:
        AssertionError: the contract is broken; the message names the case and what came back.
    """
    shaped = isinstance(engine, (Engine, AsyncEngine))
    _expect("protocol", shaped, f"{type(engine).__name__} needs `name` and `verify` (or `averify`)")
    _expect("protocol", isinstance(engine.name, str) and bool(engine.name), f"name is no text: {engine.name!r}")
    plain = _request(_TEXTS)
    last = len(_PASSAGES) - 1
    wanted = replace(plain, must_read=tuple((s.id, (0, last)) for s in plain.segments))
    shuffled = replace(plain, passages=_PASSAGES[::-1])
    reverse = replace(plain, segments=plain.segments[::-1])
    late = replace(plain, deadline=time.monotonic() - 1.0)
    rounds = [[plain], [wanted], [shuffled], [late], [_request(_ODD)], [_request(())], [plain, reverse, plain, reverse]]
    replies = _perform(engine, rounds)

    names = ("plain request", "must_read", "other order of passages", "expired deadline", "odd segments", "no segments")
    for name, [request], [reply] in zip(names, rounds, replies, strict=False):
        if request is late and isinstance(reply, EngineError):
            continue
        _check_shape(name, request, reply)
    _check_must_read(wanted, replies[1][0])
    _check_same("other order of passages", replies[0][0], replies[2][0])
    if isinstance(replies[3][0], SupportMatrix):
        for row in replies[3][0].rows:
            _expect("expired deadline", row.unverified is not None, f"row {row.segment_id!r} must be unverified")
    for request, reply in zip(rounds[-1], replies[-1], strict=True):
        _check_shape("several calls at once", request, reply)
        _check_same("several calls at once", replies[0][0], reply)


def _request(texts: Sequence[str]) -> VerifyRequest:
    segments = (Segment(id=f"s{n}", span=Span(0, len(text)), text=text) for n, text in enumerate(texts, 1))
    return VerifyRequest(segments=tuple(segments), passages=_PASSAGES, question="What is said of Larkmoor Dam?")


Reply = SupportMatrix | Exception


def _perform(engine: Engine | AsyncEngine, rounds: Sequence[Sequence[VerifyRequest]]) -> list[list[Reply]]:
    """What the engine returns or raises; the requests of one round are at work at once."""

    def call(request: VerifyRequest) -> Reply:
        assert isinstance(engine, Engine)
        try:
            return engine.verify(request)
        except Exception as error:
            return error

    async def acall(request: VerifyRequest) -> Reply:
        assert isinstance(engine, AsyncEngine)
        try:
            return await engine.averify(request)
        except Exception as error:
            return error

    async def all_rounds() -> list[list[Reply]]:
        return [list(await asyncio.gather(*map(acall, requests))) for requests in rounds]

    with ThreadPoolExecutor(max(map(len, rounds))) as pool:
        if isinstance(engine, Engine):
            return [list(pool.map(call, requests)) for requests in rounds]
        return pool.submit(asyncio.run, all_rounds()).result()


def _expect(case: str, holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(f"{case}: {message}.")


def _check_shape(case: str, request: VerifyRequest, reply: Reply) -> None:
    _expect(case, not isinstance(reply, Exception), f"the engine raised {type(reply).__name__}: {reply}")
    _expect(case, isinstance(reply, SupportMatrix), f"must return a SupportMatrix, got {type(reply).__name__}")
    assert isinstance(reply, SupportMatrix)
    asked, got = [s.id for s in request.segments], [row.segment_id for row in reply.rows]
    _expect(case, asked == got, f"must return one row per segment, in order: {asked}, got {got}")
    for row in reply.rows:
        who, wide = f"row {row.segment_id!r}", len(request.passages)
        told = "cause must be None or a Cause" if row.unverified is not None else "cause is for unverified rows only"
        allowed = isinstance(row.cause, Cause | None) and (row.cause is None or row.unverified is not None)
        _expect(case, allowed, f"{who}: {told}, got {row.cause!r}")
        _expect(case, len(row.cells) == wide, f"{who} must have {wide} cells, got {len(row.cells)}")
        cells = [(n, cell) for n, cell in enumerate(row.cells) if cell is not None]
        numbers = [row.supported, row.contradicted, *(p for _, c in cells for p in (c.supported, c.contradicted))]
        for number in numbers:
            _expect(case, 0.0 <= number <= 1.0, f"{who}: probabilities must be within 0..1, got {number!r}")
        for n, span in (*row.evidence, *((n, span) for n, cell in cells for span in cell.evidence)):
            _expect(case, 0 <= n < wide, f"{who} has evidence in passage {n}, which does not exist")
            fits = 0 <= span[0] < span[1] <= len(request.passages[n].text)
            _expect(case, fits, f"{who}: evidence span {tuple(span)} is not inside passage {n}")


def _check_must_read(request: VerifyRequest, reply: Reply) -> None:
    assert isinstance(reply, SupportMatrix)
    for row, (_, numbers) in zip(reply.rows, request.must_read, strict=True):
        missing = [n for n in numbers if row.cells[n] is None]
        _expect("must_read", row.unverified is not None or not missing, f"row {row.segment_id!r} left out {missing}")


def _check_same(case: str, first: Reply, second: Reply) -> None:
    assert isinstance(first, SupportMatrix)
    assert isinstance(second, SupportMatrix)
    before = {row.segment_id: row for row in first.rows}
    for row in second.rows:
        other = before[row.segment_id]
        same = (row.unverified is None) == (other.unverified is None)
        _expect(case, same, f"row {row.segment_id!r} is unverified in one of two calls only")
        moved = abs(row.supported - other.supported)
        _expect(case, moved <= TOLERANCE, f"supported of row {row.segment_id!r} moved by {moved:.2f}")
