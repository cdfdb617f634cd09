"""A chat memory in which an answer waits until it is checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.memory import BaseMemory
from pydantic import PrivateAttr

from guardrail.check.drivers import Program, Work


class StagedMemory(BaseMemory):
    """Stands for an engine's memory during one turn: reads go through, answers stay here until they are delivered.

    What an engine puts in is kept back if the model said it; all else goes to the real memory at once, as it would
    without the guard. ``scratch``: nothing goes there, and reads also see what was put in here.
    """

    _real: BaseMemory = PrivateAttr()
    _scratch: bool = PrivateAttr(default=False)
    _held: list[ChatMessage] = PrivateAttr(default_factory=list)

    @classmethod
    def over(cls, real: BaseMemory, *, scratch: bool = False) -> Self:
        """A memory for one turn over the real one."""
        staged = cls()
        staged._real, staged._scratch = real, scratch
        return staged

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "StagedMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> Self:
        """Not made so: see ``over``."""
        raise NotImplementedError("use StagedMemory.over(memory)")

    @property
    def tokenizer_fn(self) -> Callable[[str], list[Any]]:
        """The real memory's; engines look whether there is one."""
        real: Any = self._real
        tokenizer: Callable[[str], list[Any]] = real.tokenizer_fn
        return tokenizer

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002  the interface's name
        """Messages for the next prompt."""
        return [*self._real.get(input=input, **kwargs), *self._seen]

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002
        """The same without blocking."""
        return [*(await self._real.aget(input=input, **kwargs)), *self._seen]

    def get_all(self) -> list[ChatMessage]:
        """All messages."""
        return [*self._real.get_all(), *self._seen]

    async def aget_all(self) -> list[ChatMessage]:
        """The same without blocking."""
        return [*(await self._real.aget_all()), *self._seen]

    def put(self, message: ChatMessage) -> None:
        """Take a message in, or keep it back."""
        if not self._has_held(message):
            self._real.put(message)

    async def aput(self, message: ChatMessage) -> None:
        """The same without blocking."""
        if not self._has_held(message):
            await self._real.aput(message)

    def set(self, messages: list[ChatMessage]) -> None:
        """The caller's own history in place of what there was."""
        self._real.set(messages)

    async def aset(self, messages: list[ChatMessage]) -> None:
        """The same without blocking."""
        await self._real.aset(messages)

    def reset(self) -> None:
        """Forget everything."""
        self._held.clear()
        self._real.reset()

    async def areset(self) -> None:
        """The same without blocking."""
        self._held.clear()
        await self._real.areset()

    def delivering(self, text: str) -> Program[None]:
        """Let the answer into the real memory, with the text that was delivered."""
        for message in self._messages(text):
            yield Work(partial(self._real.put, message), partial(self._real.aput, message))

    @property
    def _seen(self) -> list[ChatMessage]:
        return list(self._held) if self._scratch else []

    def _has_held(self, message: ChatMessage) -> bool:
        held = self._scratch or message.role not in (MessageRole.USER, MessageRole.SYSTEM, MessageRole.DEVELOPER)
        if held:
            self._held.append(message)
        return held

    def _messages(self, text: str) -> list[ChatMessage]:
        """What was held, the last answer with the text delivered; what the model said before it says nothing."""
        answers = [n for n, message in enumerate(self._held) if message.role is MessageRole.ASSISTANT]
        if not answers:
            return [*self._held, ChatMessage(role=MessageRole.ASSISTANT, content=text)]
        kept = [m for n, m in enumerate(self._held) if n != answers[-1] and m.role is not MessageRole.ASSISTANT]
        return [*kept, ChatMessage(role=MessageRole.ASSISTANT, blocks=[TextBlock(text=text)])]
