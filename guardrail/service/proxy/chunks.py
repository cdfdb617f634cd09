"""The chunks of a chat completion: text taken out to be checked, the rest, and chunks with checked text. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from guardrail.service.proxy.chat import THOUGHTS
from guardrail.service.proxy.json_text import dumps, edited, items, replaced, spans, with_member, without
from guardrail.service.proxy.request import OURS
from guardrail.service.proxy.upstream import UpstreamFailed

_FIRST: Final = ("choices", 0)
_CALLS: Final = ("tool_calls", "function_call")
_ESSENTIAL: Final = (*_CALLS, "refusal")


class ErrorEvent(UpstreamFailed):
    """The upstream says within a stream that it failed; ``data`` is what it says."""

    def __init__(self, data: str, error: Any) -> None:
        code = error.get("code") if isinstance(error, Mapping) else None
        status = code if isinstance(code, int) and 400 <= code <= 599 else 502
        super().__init__(status, "upstream_failed", "the upstream failed.")
        self.data = data


@dataclass(frozen=True, slots=True)
class Now:
    """A chunk that leaves at once."""

    data: str


@dataclass(frozen=True, slots=True)
class Text:
    """Text of one choice; nothing of it has left."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """One choice is complete."""

    index: int


@dataclass(slots=True)
class Choice:
    """What is known of one choice.

    Attributes:
        begun: Some text has come.
        calls_tools: A tool was called.
        thoughts: Chunks with what the model thought, for a choice that calls tools.
        later: Chunks that follow the text, and whether they are more than an ornament of it.
        end: The last chunk.
    """

    begun: bool = False
    calls_tools: bool = False
    has_role: bool = False
    thoughts: list[str] = field(default_factory=list)
    later: list[tuple[str, bool]] = field(default_factory=list)
    end: str | None = None


class Chunks:
    """One stream.

    Attributes:
        choices: By their index.
        tail: Chunks without a choice behind the text: the usage.
    """

    def __init__(self, *, drops_thoughts: bool) -> None:
        self.choices: dict[int, Choice] = {}
        self.tail: list[str] = []
        self._drops_thoughts = drops_thoughts
        self._template: tuple[str, str] | None = None

    def take(self, data: str) -> Iterator[Now | Text | Ended]:
        """What is in a chunk, in order.

        Raises:
            ErrorEvent: an error.
            UpstreamFailed: what is no chunk.
        """
        chunk = read_object(data)
        choices = chunk.get("choices")
        if chunk.get("error") is not None:
            raise ErrorEvent(data, chunk["error"])
        if not isinstance(choices, list) or not choices:
            if any(choice.begun for choice in self.choices.values()):
                self.tail.append(data)
            else:
                yield Now(data)
            return
        self._template = self._template or _template(data)
        for number, choice in enumerate(choices):
            if not isinstance(choice, Mapping):
                raise UpstreamFailed(502, "upstream_malformed", "a choice of the upstream is no object.")
            yield from self._choice(data if len(choices) == 1 else _only(data, number), choice)

    def say(self, index: int, text: str, *, name: str = "content") -> str:
        """A chunk with this text."""
        return self._made(index, dumps({name: text}), None)

    def finish(self, index: int, said: Mapping[str, Any], reason: str | None) -> str:
        """The last chunk of a choice, with what the check found; ``reason``: instead of the upstream's."""
        end = self.choices[index].end
        if end is None:
            end = self._made(index, "{}", reason or "stop")
        elif reason is not None:
            end = replaced(end, (*_FIRST, "finish_reason"), dumps(reason))
        return with_member(end, (), OURS, dumps(said))

    def _choice(self, data: str, choice: Mapping[str, Any]) -> Iterator[Now | Text | Ended]:
        index = choice.get("index")
        known = self.choices.setdefault(index if isinstance(index, int) else 0, Choice())
        index = index if isinstance(index, int) else 0
        delta = choice.get("delta")
        delta = delta if isinstance(delta, Mapping) else {}
        text = _content(delta.get("content"))
        ended = choice.get("finish_reason") is not None
        names = [n for n in delta if delta[n] is not None and n != "content" and (n != "role" or not known.has_role)]
        rest = self._rest(data, choice, delta, known) if names or ended else ""
        if self._drops_thoughts and any(name in THOUGHTS for name in names):
            known.thoughts.append(rest)
            rest = without(rest, (*_FIRST, "delta"), *THOUGHTS)
            names = [name for name in names if name not in THOUGHTS]
        known.has_role = known.has_role or "role" in names
        if any(delta.get(name) for name in _CALLS):
            known.calls_tools = True
            if not known.begun:
                yield from map(Now, known.thoughts)
                known.thoughts = []
        if ended:
            known.end = rest
        elif names and known.begun:
            known.later.append((rest, any(delta.get(name) for name in _ESSENTIAL)))
        elif names:
            yield Now(rest)
        if text:
            known.begun = True
            yield Text(index, text)
        if ended:
            yield Ended(index)

    @staticmethod
    def _rest(data: str, choice: Mapping[str, Any], delta: Mapping[str, Any], known: Choice) -> str:
        """The chunk without its text, and without the tokens' probabilities, which are that text again."""
        if delta.get("content"):
            if "role" in delta and not known.has_role:
                data = replaced(data, (*_FIRST, "delta", "content"), '""')
            else:
                data = without(data, (*_FIRST, "delta"), "content")
        return replaced(data, (*_FIRST, "logprobs"), "null") if choice.get("logprobs") is not None else data

    def _made(self, index: int, delta: str, reason: str | None) -> str:
        if self._template is None:
            raise TypeError("no chunk was taken yet")
        head, tail = self._template
        return f'{head}[{{"index":{index},"delta":{delta},"logprobs":null,"finish_reason":{dumps(reason)}}}]{tail}'


def read_object(data: str) -> dict[str, Any]:
    """The JSON object of an event.

    Raises:
        UpstreamFailed: it is none.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UpstreamFailed(502, "upstream_malformed", "an event of the upstream is no JSON object.")
    return value


def _content(content: Any) -> str:
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def _template(data: str) -> tuple[str, str]:
    """What stands around the choices."""
    data = without(data, (), "obfuscation", OURS)
    if spans(data, ("usage",)):
        data = replaced(data, ("usage",), "null")
    data = _single(data)
    (span,) = spans(data, ("choices",))
    return data[: span.start], data[span.end :]


def _only(data: str, number: int) -> str:
    data = _single(data)
    (span,) = spans(data, ("choices",))
    one = list(items(data, span.start))[number].of(data)
    return edited(data, [(span, f"[{one}]")])


def _single(data: str) -> str:
    from guardrail.service.proxy.json_text import with_one

    return with_one(data, "choices")
