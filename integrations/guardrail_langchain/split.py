"""A chain's stream, parted into the answer's text, which has to be checked, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage, BaseMessageChunk
from langchain_core.runnables.utils import AddableDict

from guardrail import GuardedAnswer, UsageError
from guardrail_langchain.answers import replaced, scrub, summary, text_of, without_text_metadata
from guardrail_langchain.parts import ANSWER_KEYS, Parts


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
        """Whether the answer is one finished message, which cannot come in pieces."""
        return isinstance(self._whole, BaseMessage) and not isinstance(self._whole, BaseMessageChunk)

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
        self.rest = self.rest + rest
        if key is not None and key in chunk:
            self._key = key
            self._add(chunk[key])
        through = AddableDict({k: v for k, v in rest.items() if self._may_pass(k, v)})
        self._held = self._held + AddableDict({k: v for k, v in rest.items() if k not in through})
        return through or None

    def take(self) -> Iterator[str]:
        """The pieces that nobody has taken yet."""
        while self.pieces:
            yield self.pieces.pop(0)

    def check_complete(self) -> None:
        """All has come. Raises UsageError where it holds no answer."""
        self._parts.find_answer(self.output)

    def delta(self, text: str) -> Any:
        """Text to deliver, in the shape of the chain's own chunks."""
        self._delivered = True
        if self.at_once:
            return self._shaped(replaced(self._whole, text))
        if isinstance(self._whole, BaseMessage):
            return self._shaped(AIMessageChunk(content=text, id=self._whole.id))
        return self._shaped(text)

    def ending(self, guarded: GuardedAnswer, verdict: Any) -> Iterator[Any]:
        """What follows the last delta: the message's metadata, what was held, and the key ``guardrail``."""
        about = summary(guarded) if self._key is None else None
        if self.at_once:
            if not self._delivered:
                yield self._shaped(replaced(self._whole, guarded.text, about))
        elif isinstance(self._whole, BaseMessage):
            yield self._shaped(_end(self._whole, guarded.text, about))
        elif not self._delivered:
            yield self.delta("")
        if self._held:
            yield AddableDict(self._clean(guarded))
        if self._key is not None:
            yield AddableDict(guardrail=verdict)

    def _clean(self, guarded: GuardedAnswer) -> Mapping[str, Any]:
        said = text_of(self._whole)
        clean: Mapping[str, Any] = self._held if said == guarded.text else scrub(self._held, said, guarded.text)
        return clean

    def _shaped(self, value: Any) -> Any:
        return value if self._key is None else AddableDict({self._key: value})

    def _add(self, value: Any) -> None:
        text = text_of(value)
        self._whole = value if not self.begun or self._whole is None else self._sum(value)
        self.begun = True
        if text:
            self.pieces.append(text)

    def _sum(self, value: Any) -> Any:
        if value is None:
            return self._whole
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
