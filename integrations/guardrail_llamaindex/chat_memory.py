"""A chat memory in which an answer waits until it is checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self
from uuid import uuid4
from weakref import WeakValueDictionary

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.memory import BaseMemory
from pydantic import Field, PrivateAttr

from guardrail import UsageError
from guardrail.check.drivers import Program, Work

_STAGED: WeakValueDictionary[str, StagedMemory] = WeakValueDictionary()
"""Memories of the runs that go on, by their keys."""


class StagedMemory(BaseMemory):
    """Stands for an engine's memory during one turn: reads go through, answers stay here until they are delivered.

    What an engine puts in is kept back if the model said it; all else goes to the real memory at once, as it would
    without the guard. ``scratch``: nothing goes there. Reads also see what was put in here.

    Workflows save and load what their context holds as each run begins: the same object comes back, by its ``key``.
    """

    key: str = Field(default_factory=lambda: uuid4().hex)

    _real: BaseMemory = PrivateAttr()
    _scratch: bool = PrivateAttr(default=False)
    _held: list[ChatMessage] = PrivateAttr(default_factory=list)

    @classmethod
    def over(cls, real: BaseMemory, *, scratch: bool = False) -> Self:
        """A memory for one turn over the real one."""
        staged = cls()
        staged._real, staged._scratch = real, scratch
        _STAGED[staged.key] = staged
        return staged

    def seal(self) -> None:
        """Let nothing more into the real memory."""
        self._scratch = True

    @classmethod
    def from_dict(cls, data: dict[str, Any], **_: Any) -> Self:
        """The memory of a run that still goes on in this process.

        Raises:
            UsageError: there is none.
        """
        staged = _STAGED.get(data["key"])
        if not isinstance(staged, cls):
            raise UsageError("a guarded run cannot go on in another process. Save its context once the run has ended.")
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
        return [*self._real.get(input=input, **kwargs), *self._held]

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002
        """The same without blocking."""
        return [*(await self._real.aget(input=input, **kwargs)), *self._held]

    def get_all(self) -> list[ChatMessage]:
        """All messages."""
        return [*self._real.get_all(), *self._held]

    async def aget_all(self) -> list[ChatMessage]:
        """The same without blocking."""
        return [*(await self._real.aget_all()), *self._held]

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

    def _has_held(self, message: ChatMessage) -> bool:
        held = self._scratch or message.role not in (MessageRole.USER, MessageRole.SYSTEM, MessageRole.DEVELOPER)
        if held:
            self._held.append(message)
        return held

    def _messages(self, text: str) -> list[ChatMessage]:
        """What was held, the last answer with the text delivered; of what the model said before, its calls of tools."""
        answers = [n for n, message in enumerate(self._held) if message.role is MessageRole.ASSISTANT]
        last = answers[-1] if answers else len(self._held)
        kept = (_calls(m) if m.role is MessageRole.ASSISTANT else m for n, m in enumerate(self._held) if n != last)
        answer = ChatMessage(role=MessageRole.ASSISTANT, blocks=[TextBlock(text=text)])
        return [*(message for message in kept if message is not None), answer]


def _calls(message: ChatMessage) -> ChatMessage | None:
    """A message without its words, if it calls tools: their outputs have to follow it."""
    blocks = [block for block in message.blocks if block.block_type == "tool_call"]
    calls = message.additional_kwargs.get("tool_calls")
    if not blocks and not calls:
        return None
    return ChatMessage(role=message.role, blocks=blocks, additional_kwargs={"tool_calls": calls} if calls else {})
