"""A chain's stream, parted into the answer's text, which has to be checked, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage, BaseMessageChunk
from langchain_core.runnables.utils import AddableDict

from guardrail import GuardedAnswer, UsageError
from guardrail_langchain.answers import summary, text_of, without_text_metadata
from guardrail_langchain.parts import ANSWER_KEYS, Parts, is_object
from guardrail_langchain.regeneration import written


class Split:
    """One stream's chunks.

    Documents, the question and what came in with the input pass through at once. Other keys are held to the end: they
    may repeat the answer, or turn out to be it.
    """

    def __init__(self, parts: Parts, given: Any, *, open_to_all: bool) -> None:
        """Args: the chain's parts and input; ``open_to_all``: nothing before the answer is held."""
        self._parts = parts
        self._given = given if isinstance(given, Mapping) else {}
        self._open = open_to_all
        self._key: str | None = None
        self._whole: Any = None
        self._delivered = False
        self._held = AddableDict()
        self.begun = False
        self.rest = AddableDict()
        self.pieces: list[str] = []

    @property
    def output(self) -> Any:
        """The chain's output as far as it has come."""
        if self._key is None and (self.begun or not self.rest):
            return self._whole
        return {**self.rest, self._key: self._whole} if self.begun else dict(self.rest)

    @property
    def at_once(self) -> bool:
        """Whether the answer is an object or one finished message, which cannot come in pieces."""
        return self.grows or (isinstance(self._whole, BaseMessage) and not isinstance(self._whole, BaseMessageChunk))

    @property
    def grows(self) -> bool:
        """Whether the answer is an object: each chunk is all of it so far, so that the last one is the answer."""
        return is_object(self._whole)

    def part(self, chunk: Any) -> Any | None:
        """Take a chunk: what of it may pass through now, if anything; the answer's text goes to ``pieces``."""
        if not isinstance(chunk, Mapping):
            self._add(chunk)
            return None
        if callable(self._parts.answer):
            self._parts.find_answer(chunk)  # says that a mapping needs a key
        key = self._key if self.begun else self._parts.answer_key(chunk)
        rest = AddableDict({k: v for k, v in chunk.items() if k != key})
        self._see(rest)
        plain = type(chunk) is dict
        self.rest = _sum(self.rest, rest, plain)
        if key is not None and key in chunk:
            self._key = key
            self._add(chunk[key], plain)
        through = AddableDict({k: v for k, v in rest.items() if self._may_pass(k, v)})
        self._held = _sum(self._held, AddableDict({k: v for k, v in rest.items() if k not in through}), plain)
        return through or None

    def take(self) -> Iterator[str]:
        """The pieces that nobody has taken yet."""
        while self.pieces:
            yield self.pieces.pop(0)

    def check_complete(self) -> None:
        """All has come. Raises UsageError where it holds no answer."""
        answer = self._parts.find_answer(self.output)
        if self.grows:
            self.pieces.append(self._parts.text(answer))

    def delta(self, text: str) -> Any:
        """Text to deliver, in the shape of the chain's own chunks."""
        self._delivered = True
        if self.at_once:
            return self._shaped(self._parts.with_text(self._whole, text))
        if isinstance(self._whole, BaseMessage):
            return self._shaped(AIMessageChunk(content=text, id=self._whole.id))
        return self._shaped(text)

    def ending(self, guarded: GuardedAnswer, verdict: Any, again: Sequence[Any] = ()) -> Iterator[Any]:
        """What follows the last delta: the message's metadata, what was held, and the key ``guardrail``.

        ``again``: the answers that were made anew.
        """
        about = summary(guarded) if self._key is None else None
        answer = written(self._whole, again, guarded, self._parts)
        if self.at_once:
            if not self._delivered:
                yield self._shaped(self._parts.with_text(answer, guarded.text, about))
        elif isinstance(answer, BaseMessage):
            yield self._shaped(_end(answer, guarded.text, about))
        elif not self._delivered:
            yield self.delta("")
        if self._held:
            yield AddableDict(self._clean(guarded))
        if self._key is not None:
            yield AddableDict(guardrail=verdict)

    def _clean(self, guarded: GuardedAnswer) -> Mapping[str, Any]:
        clean: Mapping[str, Any] = self._parts.without(self._held, self._whole, guarded.text)
        return clean

    def _shaped(self, value: Any) -> Any:
        return value if self._key is None else AddableDict({self._key: value})

    def _add(self, value: Any, plain: bool = False) -> None:
        text = "" if is_object(value) else text_of(value)
        if plain and isinstance(self._whole, str) and self._whole and text.startswith(self._whole):
            text = value = text[len(self._whole) :]  # a parser of JSON tells the answer so far again and again
        self._whole = value if not self.begun or self._whole is None else self._sum(value)
        self.begun = True
        if text:
            self.pieces.append(text)

    def _sum(self, value: Any) -> Any:
        if value is None:
            return self._whole
        if is_object(value):
            return value
        if isinstance(self._whole, str) and isinstance(value, str):
            return str(self._whole) + str(value)
        return self._whole + value

    def _may_pass(self, key: str, value: Any) -> bool:
        if self.begun:
            return False
        if self._open or key in self._parts.keys_without_answer:
            return True
        given = self._given.get(key)
        return value is not None and (value is given or (isinstance(value, str) and value == given))

    def _see(self, rest: Mapping[str, Any]) -> None:
        """Two keys that may hold the answer, and the better one comes second: the first may have been let out."""
        if self._parts.answer is None and self._key in ANSWER_KEYS:
            better = ANSWER_KEYS[: ANSWER_KEYS.index(self._key)]
            if both := next((key for key in better if key in rest), None):
                raise UsageError(
                    f"both {self._key!r} and {both!r} of the chain's output may hold the answer. "
                    "Pass answer=<key> to guard_chain."
                )


def _sum(so_far: AddableDict, more: AddableDict, plain: bool) -> AddableDict:
    """LangChain does not add up plain dicts: there, a value takes the place of what stood under its key."""
    return AddableDict({**so_far, **more}) if plain else so_far + more


def _end(whole: BaseMessage, text: str, about: Mapping[str, Any] | None) -> AIMessageChunk:
    """The last chunk of a message: everything but its text."""
    same = text_of(whole) == text
    metadata = whole.response_metadata if same else without_text_metadata(whole.response_metadata)
    if about is not None:
        metadata = {**metadata, "guardrail": dict(about)}
    return AIMessageChunk(
        content="",
        id=whole.id,
        response_metadata=metadata,
        additional_kwargs=whole.additional_kwargs if same else {},
        tool_call_chunks=whole.tool_call_chunks if same and isinstance(whole, AIMessageChunk) else [],
        usage_metadata=whole.usage_metadata if isinstance(whole, AIMessageChunk) else None,
    )
