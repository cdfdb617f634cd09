"""The answers of one worker that a gateway samples just now: what was read of each, and each counted once."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from contextvars import Context, copy_context
from dataclasses import dataclass, field

from guardrail.guard import Guard
from guardrail.service.dialects.calls import Call, CallStore
from guardrail.service.keys import client
from guardrail.service.service import Service
from guardrail.service.turns import Work
from guardrail.streaming.growing import Growing, Grown

SILENCE = 10.0
"""Seconds without another sample after which an answer is taken for whole, and counted."""

_KEPT = 1_000
_log = logging.getLogger("guardrail.service")


@dataclass(slots=True)
class _Live:
    """An answer that may still grow."""

    growing: Growing
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True)
class _Silent:
    """An answer that is counted if no more of it comes; ``context`` is that of its request."""

    growing: Growing
    text: str
    context: Context
    timer: asyncio.TimerHandle


class Answers:
    """Answers by the id of their call and their number in it.

    Args:
        service: Whose.
        calls: What the workers share.
        kind: The gateway, for ``calls``.
        silence: See SILENCE.
    """

    def __init__(self, service: Service, calls: CallStore, kind: str, silence: float = SILENCE) -> None:
        self._service = service
        self._calls = calls
        self._kind = kind
        self._silence = silence
        self._live: OrderedDict[tuple[str, str, int], _Live] = OrderedDict()
        self._silent: dict[str, _Silent] = {}
        self._counting: set[asyncio.Task[None]] = set()

    async def sampled(self, guard: Guard, ident: str | None, number: int, text: str, call: Call) -> Grown:
        """The next sample of an answer, checked; ``ident`` None: it cannot be told from others, so it is the first."""
        live = self._of(guard, ident, number, call)
        growing = live.growing
        async with live.turn:  # two samples of one answer at once would read the same sentences twice
            grown = await self._service.pool.do(
                guard.judge, _work(), lambda _: growing.sample(text), lambda: growing.asample(text)
            )
        self._count_after_silence(growing, f"{client.get().name}:{ident or id(growing)}#{number}", text)
        return grown

    async def close(self) -> None:
        """Count what waits to be counted: the service ends."""
        for ident in list(self._silent):
            self._begin(ident)
        await asyncio.gather(*self._counting)

    def _of(self, guard: Guard, ident: str | None, number: int, call: Call) -> _Live:
        if ident is None:
            return _Live(Growing(guard, call.passages, call.question))
        key = (client.get().name, ident, number)
        live = self._live.get(key)
        if live is None or live.growing.guard is not guard or live.growing.passages != call.passages:
            live = self._live[key] = _Live(Growing(guard, call.passages, call.question))
        self._live.move_to_end(key)
        if len(self._live) > _KEPT:
            self._live.popitem(last=False)
        return live

    def _count_after_silence(self, growing: Growing, ident: str, text: str) -> None:
        before = self._silent.pop(ident, None)
        if before is not None:
            before.timer.cancel()
        timer = asyncio.get_running_loop().call_later(self._silence, self._begin, ident)
        self._silent[ident] = _Silent(growing, text, copy_context(), timer)

    def _begin(self, ident: str) -> None:
        silent = self._silent.pop(ident)
        silent.timer.cancel()
        task = asyncio.get_running_loop().create_task(self._count(ident, silent), context=silent.context)
        self._counting.add(task)
        task.add_done_callback(self._counting.discard)

    async def _count(self, ident: str, silent: _Silent) -> None:
        """Count and record the answer as one, unless another worker has seen more of it."""
        growing, text = silent.growing, silent.text
        try:
            if await self._calls.longest(self._kind, ident, len(text)):
                await self._service.pool.do(
                    growing.guard.judge, _work(), lambda _: growing.count(text), lambda: growing.acount(text)
                )
        except Exception as error:
            _log.warning("an answer was checked, and not counted: %s", type(error).__name__)


def _work() -> Work:
    return Work(client=client.get().name)
