"""``/chat/completions`` with ``stream``: finished, supported sentences leave, whatever the number of choices."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from guardrail.service.errors import ServiceError
from guardrail.service.proxy.answers import Checked, Work, checked_text, observed_text
from guardrail.service.proxy.chunks import Chunks, Ended, Now, Text
from guardrail.service.proxy.relay import Feed, Relay, Said, of_stream
from guardrail.service.proxy.reply import told
from guardrail.service.proxy.request import Mode
from guardrail.service.proxy.sse import DONE, Event
from guardrail.service.proxy.upstream import UpstreamFailed
from guardrail.types import GuardedAnswer

BLOCKED = "content_filter"


@dataclass(slots=True)
class _Answer:
    """The text of one choice: fed to the check, or collected for it."""

    feed: Feed = field(default_factory=Feed)
    pieces: list[str] = field(default_factory=list)
    over: bool = False


class ChatRelay(Relay):
    """One stream of chunks."""

    def __init__(self, work: Work, events: AsyncIterator[Event], mode: Mode) -> None:
        super().__init__(work, events)
        self._mode = mode
        self._chunks = Chunks(drops_thoughts=work.options.thoughts == "drop")
        self._answers: dict[int, _Answer] = {}
        self._passes = work.skips or mode == "observe"
        self._all_read = self._ended = False
        self._expected = number if isinstance(number := work.asked.body.get("n"), int) else 1

    async def read(self) -> None:
        """See Relay."""
        whole = False
        try:
            async for event in self.events:
                if event.data is None:
                    await self.out.put(event.raw)
                elif event.data.strip() == DONE:
                    whole = True
                    break
                else:
                    await self._take(event.data)
        except ServiceError as error:
            if not await self._broken(error):
                raise
            return
        if not whole and not (self._chunks.choices and self._all_ended):
            cut = UpstreamFailed(502, "upstream_broke_off", "the upstream broke off its reply.")
            if not await self._broken(cut):
                raise cut
            return
        self._all_read = True
        for index in self._chunks.choices:
            await self._complete(index)
        await self._finish_when_over()

    async def _take(self, data: str) -> None:
        for step in self._chunks.take(data):
            if isinstance(step, Now):
                await self.send(step.data)
            elif isinstance(step, Text):
                await self._text(step)
            elif isinstance(step, Ended):
                await self._complete(step.index)

    async def _text(self, step: Text) -> None:
        known = step.index in self._answers
        answer = self._answers.setdefault(step.index, _Answer())
        if self._mode != "sentence" or self.work.skips:
            answer.pieces.append(step.text)
            if self._passes:
                await self.send(self._chunks.say(step.index, step.text))
            return
        if not known:
            self.start(self.guarded(self._speak(step.index, answer)))
        await answer.feed.put(step.text)

    async def _complete(self, index: int) -> None:
        """No more text comes of a choice."""
        known = index in self._answers
        answer = self._answers.setdefault(index, _Answer())
        if answer.over or answer.feed.closed:
            return
        if not known:  # tools were called, or nothing was said
            await self._finish(index, answer, [])
        elif self._mode != "sentence" or self.work.skips:
            answer.feed.closed = True
            self.start(self.guarded(self._check(index, answer)))
        else:
            await answer.feed.put(None)

    async def _check(self, index: int, answer: _Answer) -> None:
        """A whole text at once; words that go along with calls of tools are no answer."""
        text = "".join(answer.pieces)
        if self._chunks.choices[index].calls_tools or self.work.skips:
            if not self._passes:
                await self.send(self._chunks.say(index, text))
            await self._finish(index, answer, [Checked(text, None, index=index)])
            return
        if self._passes:
            await self._finish(index, answer, [replace(await observed_text(self.work, text), index=index)])
            return
        checked = replace(await checked_text(self.work, text), index=index)
        if not checked.blocked:
            await self.send(self._chunks.say(index, checked.text))
        await self._finish(index, answer, [checked], checked.text if checked.blocked else None)

    async def _speak(self, index: int, answer: _Answer) -> None:
        """Sentence by sentence."""
        began, message = time.perf_counter(), None
        async for said in self.released(answer.feed):
            if isinstance(said, GuardedAnswer):
                checked = of_stream(said, answer.feed, time.perf_counter() - began, index)
                await self._finish(index, answer, [checked], message)
            elif isinstance(said, Said) and said.blocking:
                message = said.text
            elif said.text:
                await self.send(self._chunks.say(index, said.text))

    async def _finish(self, index: int, answer: _Answer, checks: list[Checked], message: str | None = None) -> None:
        """What follows the text of a choice; ``message``: what is said in the place of the rest."""
        choice = self._chunks.choices[index]
        changed = any(each.changed for each in checks)
        reason = None
        if message is not None:
            form = self.work.options.block
            if form == "error":
                answer.over = True
                await self.fail(ServiceError(400, BLOCKED, message.strip()))
                return
            structured = checks[0].structured
            if form == "refusal" or (structured and not message.startswith("{")):
                await self.send(self._chunks.say(index, message.strip(), name="refusal"))
            else:
                await self.send(self._chunks.say(index, message))
                reason = None if structured else BLOCKED
        if choice.calls_tools:
            for data in choice.thoughts:
                await self.send(data)
        for data, essential in choice.later:
            if essential or not changed:
                await self.send(data)
        await self.send(self._chunks.finish(index, told(self.work, checks), reason))
        answer.over = True
        await self._finish_when_over()

    @property
    def _all_ended(self) -> bool:
        return all(choice.end is not None for choice in self._chunks.choices.values())

    async def _finish_when_over(self) -> None:
        """The end, once every choice has had its own; the usage is waited for, unless the upstream was cut short."""
        all_there = self._all_read or (len(self._answers) >= self._expected and not self._all_ended)
        if self._ended or not all_there or not all(each.over for each in self._answers.values()):
            return
        self._ended = True
        for data in self._chunks.tail:
            await self.send(data)
        await self.send(DONE)
        await self.end()

    async def _broken(self, error: ServiceError) -> bool:
        """Whether those who speak were told: they end the stream behind what was checked."""
        speaking = [each for each in self._answers.values() if not each.over and not each.feed.closed]
        if self._mode != "sentence" or not speaking:
            return False
        for answer in speaking:
            await answer.feed.put(error)
        return True
