"""``/responses`` with ``stream``: the events of a response, with checked text in the place of the model's."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from guardrail.retrieval.request.found import distinct
from guardrail.service.errors import ServiceError
from guardrail.service.proxy.answers import Checked, Work, checked_text, observed_text
from guardrail.service.proxy.chunks import ErrorEvent, read_object
from guardrail.service.proxy.json_text import Path, dumps, replaced, spans, with_member
from guardrail.service.proxy.relay import Feed, Relay, Said, of_stream
from guardrail.service.proxy.reply import told
from guardrail.service.proxy.request import OURS, Mode
from guardrail.service.proxy.responses import delivered, delivered_item, delivered_part, is_response, looked_up, texts
from guardrail.service.proxy.sse import DONE, Event
from guardrail.service.proxy.upstream import UpstreamFailed
from guardrail.types import GuardedAnswer

_ENDS: Final = ("response.completed", "response.incomplete")
_FAILED: Final = "response.failed"
_DELTA: Final = "response.output_text.delta"
_TEXT: Final = (_DELTA, "response.output_text.done", "response.output_text.annotation.added")

Place = tuple[int, int]
"""Number of the item of the output, and of the part of its content."""


@dataclass(slots=True)
class _Part:
    """One text under way; ``template`` is an event with a piece of it."""

    template: str
    feed: Feed = field(default_factory=Feed)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    checked: Checked | None = None
    message: str = ""


class ResponsesRelay(Relay):
    """One stream of events. They are numbered anew, since some are left out and others come in."""

    def __init__(self, work: Work, events: AsyncIterator[Event], mode: Mode) -> None:
        super().__init__(work, events)
        self._mode = mode
        self._passes = work.skips or mode == "observe"
        self._number = 0
        self._parts: dict[Place, _Part] = {}
        self._held: list[tuple[str, str]] = []
        self._created: dict[str, Any] = {}
        self._items: dict[int, dict[str, Any]] = {}
        self._over = False

    async def read(self) -> None:
        """See Relay."""
        async for event in self.events:
            if event.data is None:
                await self.out.put(event.raw)
                continue
            if event.data.strip() == DONE:
                break
            said = read_object(event.data)
            kind = str(said.get("type") or event.name)
            if said.get("error") is not None or kind == "error":
                raise ErrorEvent(event.data, said.get("error") or said)
            self._note(kind, said)
            await (self._ended if kind in _ENDS else self._take)(kind, event.data, said)
            if kind == _FAILED:
                self._over = True
                await self.end()
            if self._over:
                return
        if not self._over:
            raise UpstreamFailed(502, "upstream_broke_off", "the upstream broke off its reply.")

    def _note(self, kind: str, said: dict[str, Any]) -> None:
        """What the end is made of where the upstream does not come to its own."""
        response, item, at = said.get("response"), said.get("item"), said.get("output_index")
        if kind == "response.created" and isinstance(response, dict):
            self._created = response
        if isinstance(item, dict) and isinstance(at, int):
            self._items[at] = item
            if kind == "response.output_item.done" and (more := looked_up([item])):
                evidence = replace(self.work.evidence, found=distinct([*self.work.evidence.found, *more]))
                if not any(each.kind == "guardrail.passages" for each in evidence.found):
                    self.work = replace(self.work, evidence=evidence)

    async def _take(self, kind: str, data: str, said: dict[str, Any]) -> None:
        drops = self.work.options.thoughts == "drop"
        if drops and kind.startswith(("response.reasoning_text.", "response.reasoning_summary")):
            return
        if kind == _FAILED:
            data = replaced(data, ("response", "output"), "[]")
        elif "response" in said and isinstance(said["response"], dict) and said["response"].get("output"):
            data = replaced(data, ("response", "output"), "[]")  # a snapshot on the way
        place = (said.get("output_index"), said.get("content_index"))
        if kind == _DELTA and isinstance(place[0], int) and isinstance(place[1], int):
            await self._delta((place[0], place[1]), data, str(said.get("delta") or ""))
        elif self._mode == "buffer" and self._parts and not self._passes:
            self._held.append((kind, data))
        elif kind in _TEXT and not self._passes:
            await self._text_event(kind, data, place)
        else:
            await self._pass(kind, data, said)

    async def _delta(self, place: Place, data: str, text: str) -> None:
        known = place in self._parts
        part = self._parts.setdefault(place, _Part(data))
        if self._passes:
            await self._send(_DELTA, data)
        elif self._mode == "buffer":
            if not known:
                self._held.append((_DELTA, data))
        else:
            if not known:
                self.start(self.guarded(self._speak(place, part)))
            await part.feed.put(text)

    async def _speak(self, place: Place, part: _Part) -> None:
        began = time.perf_counter()
        async for said in self.released(part.feed):
            if isinstance(said, GuardedAnswer):
                part.checked = of_stream(said, part.feed, time.perf_counter() - began, place[0])
            elif isinstance(said, Said) and said.blocking:
                part.message = said.text
            elif said.text:
                await self._say(part, said.text)
        if part.message:
            self._over = True
            await self._block(place, part)
        part.done.set()

    async def _settled(self, place: Any) -> _Part | None:
        """The part, once all of its text was checked and has left."""
        part = self._parts.get(place)
        if part is None or self._mode == "buffer" or self._passes:
            return part
        await part.feed.put(None)
        await part.done.wait()
        return part

    async def _text_event(self, kind: str, data: str, place: Any) -> None:
        part = await self._settled(place)
        if self._over:
            return
        if part is not None and part.checked is not None and part.checked.changed:
            if kind.endswith("annotation.added"):
                return
            data = delivered_part(data, (), part.checked, self.work.options)
        await self._send(kind, data)

    async def _pass(self, kind: str, data: str, said: dict[str, Any]) -> None:
        """Any other event; texts in it are the delivered ones."""
        at = said.get("output_index")
        for place in [place for place in self._parts if place[0] == at]:
            await self._settled(place)
        if self._over:
            return
        if isinstance(said.get("item"), dict):
            for span in spans(data, ("item",))[-1:]:
                item = delivered_item(span.of(data), said["item"], self._checks(at), self.work.options)
                data = replaced(data, ("item",), item)
        elif isinstance(said.get("part"), dict) and said["part"].get("type") == "output_text":
            part = self._parts.get((at, said.get("content_index")))  # type: ignore[arg-type]
            if part is not None and part.checked is not None and part.checked.changed:
                data = delivered_part(data, ("part",), part.checked, self.work.options)
        await self._send(kind, data)

    async def _ended(self, kind: str, data: str, said: dict[str, Any]) -> None:
        response = said.get("response")
        if not isinstance(response, dict) or not is_response(response):
            raise UpstreamFailed(502, "upstream_malformed", "the upstream's last event holds no response.")
        checks: list[tuple[Path, Checked]] = []
        for path, text in texts(response):
            place = (int(path[0]), int(path[2]))
            part = await self._settled(place)
            if self._over:
                return
            done = part.checked if part is not None else None
            check = observed_text if self._mode == "observe" else checked_text
            checks.append((path, done or replace(await check(self.work, text), index=place[0])))
        await self._finish(kind, data, response, checks)

    async def _finish(self, kind: str, data: str, response: dict[str, Any], checks: list[tuple[Path, Checked]]) -> None:
        """What was held, with the delivered texts; and the last event."""
        found = [each for _, each in checks]
        blocked = next((each for each in found if each.blocked), None)
        if blocked is not None and self.work.options.block == "error":
            await self.fail(ServiceError(400, "content_filter", blocked.text))
            self._over = True
            return
        by_place = {(int(path[0]), int(path[2])): each for path, each in checks}
        for place, part in self._parts.items():
            if part.checked is None and place in by_place:
                part.checked = by_place[place]
        for name, held in self._held:
            event = json.loads(held)
            place = (event.get("output_index"), event.get("content_index"))
            if name == _DELTA:
                text = by_place[place].text if place in by_place else _text_at(response, place)
                await self._say(self._parts[place], text)
            elif name in _TEXT:
                checked = by_place.get(place)
                if not (checked is not None and checked.changed and name.endswith("annotation.added")):
                    changed = checked is not None and checked.changed
                    edited = delivered_part(held, (), checked, self.work.options) if changed and checked else held
                    await self._send(name, edited)
            else:
                await self._pass_held(name, held, event)
        for span in spans(data, ("response",))[-1:]:
            told_text = with_member(
                delivered(span.of(data), response, checks, self.work.options), (), OURS, dumps(told(self.work, found))
            )
            data = replaced(data, ("response",), told_text)
        filtered = self.work.options.block == "content_filter" and any(e.blocked and not e.structured for e in found)
        await self._send("response.incomplete" if filtered else kind, data)
        self._over = True
        await self.end()

    async def _pass_held(self, kind: str, data: str, said: dict[str, Any]) -> None:
        self._mode = "buffer"
        await self._pass(kind, data, said)

    async def _block(self, place: Place, part: _Part) -> None:
        """The end of a stream that was blocked in the middle: what the upstream would have said, made here."""
        options, checked = self.work.options, part.checked
        if checked is None or options.block == "error":
            await self.fail(ServiceError(400, "content_filter", part.message.strip()))
            return
        if options.block == "content_filter":
            await self._say(part, part.message)
        at = {"item_id": json.loads(part.template).get("item_id"), "output_index": place[0], "content_index": place[1]}
        content: dict[str, Any] = {"type": "output_text", "text": checked.text, "annotations": [], "logprobs": []}
        text_done = {"type": "response.output_text.done", **at, "text": checked.text, "logprobs": []}
        if options.block == "refusal":
            content = {"type": "refusal", "refusal": part.message.strip()}
            text_done = {"type": "response.refusal.done", **at, "refusal": part.message.strip()}
        item = {**self._items.get(place[0], {"type": "message", "role": "assistant"})}
        item |= {"status": "completed", "content": [content]}
        filtered = options.block == "content_filter"
        others = [self._delivered(number) for number in sorted(self._items) if number < place[0]]
        response = {
            **self._created,
            "status": "incomplete" if filtered else "completed",
            "incomplete_details": {"reason": "content_filter"} if filtered else None,
            "output": [*others, item],
            OURS: told(self.work, [checked]),
        }
        for event in (
            text_done,
            {"type": "response.content_part.done", **at, "part": content},
            {"type": "response.output_item.done", "output_index": place[0], "item": item},
            {"type": "response.incomplete" if filtered else "response.completed", "response": response},
        ):
            await self._send(str(event["type"]), dumps(event))
        await self.end()

    def _delivered(self, number: int) -> dict[str, Any]:
        """An item of the output as it has left."""
        item = self._items[number]
        read: dict[str, Any] = json.loads(delivered_item(dumps(item), item, self._checks(number), self.work.options))
        return read

    def _checks(self, number: Any) -> list[tuple[Path, Checked]]:
        """Of the texts of one item, by their places in it."""
        parts = [(place, part.checked) for place, part in self._parts.items() if place[0] == number]
        return [(("content", place[1], "text"), checked) for place, checked in parts if checked is not None]

    async def _say(self, part: _Part, text: str) -> None:
        data = replaced(part.template, ("delta",), dumps(text))
        if spans(data, ("logprobs",)):
            data = replaced(data, ("logprobs",), "[]")
        if spans(data, ("obfuscation",)):
            data = replaced(data, ("obfuscation",), '""')
        await self._send(_DELTA, data)

    async def _send(self, kind: str, data: str) -> None:
        data = replaced(data, ("type",), dumps(kind))
        await self.send(replaced(data, ("sequence_number",), str(self._number)), kind)
        self._number += 1


def _text_at(response: dict[str, Any], place: Any) -> str:
    """A text that was not checked, since it goes along with calls of tools."""
    try:
        return str(response["output"][place[0]]["content"][place[1]]["text"])
    except (KeyError, IndexError, TypeError):
        return ""
