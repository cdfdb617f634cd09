"""How a guarded client was set up, and what ``create`` was called with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from guardrail.check.intake import PassageLike, read_passages, read_question
from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.policy.policy import Policy
from guardrail.repair.feedback import Feedback
from guardrail.streaming.events import Mode
from guardrail.types import Passage
from guardrail.wrap.kinds import read_guard, read_mode

PassagesFrom = Callable[[Sequence[Any]], Iterable[PassageLike] | Awaitable[Iterable[PassageLike]]]
"""From the messages of a request to the passages its answer is checked against."""

_ONLY_FIRST = ("stream", "stream_options", "n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """See GuardedOpenAI."""

    guard: Guard
    mode: Mode
    passages_from: PassagesFrom | None
    allow_unguarded: bool

    def __post_init__(self) -> None:
        read_guard(self.guard, "Guard(policy=...)")

    def find(self, passages: Iterable[PassageLike] | None, messages: Sequence[Any]) -> Any:
        """The passages of a call, or an awaitable of them; None where nobody gave any."""
        if passages is not None or self.passages_from is None:
            return passages
        return self.passages_from(messages)

    def refuse(self, name: str) -> NoReturn:
        """Say that this is not checked."""
        raise UsageError(
            f"{name} is not checked by the guard. Use chat.completions.create(..., passages=[...]). Where answers may "
            "leave unchecked, use the client within, or pass allow_unguarded=True to the guarded one."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call. ``body``: the arguments that the model's client gets."""

    body: Mapping[str, Any]
    messages: Sequence[Any]
    question: str | None
    policy: Policy | None
    mode: Mode

    def with_feedback(self, feedback: Feedback) -> dict[str, Any]:
        """The same request, after the answer that did not pass and what was wrong with it; one choice, no stream."""
        body = {name: value for name, value in self.body.items() if name not in _ONLY_FIRST}
        said = {"role": "assistant", "content": feedback.answer}
        return {**body, "messages": [*self.messages, said, {"role": "user", "content": feedback.text}]}


def read_request(
    messages: Iterable[Any], question: str | None, policy: Policy | None, mode: Mode, rest: Mapping[str, Any]
) -> Request:
    """The call, if its answer can be checked.

    Raises:
        UsageError: it cannot, or an argument is wrong.
    """
    read_mode(mode)
    if policy is not None and not isinstance(policy, Policy):
        raise UsageError(f"policy must be a Policy, got {type(policy).__name__}. Use Policy.load(name or file).")
    if "audio" in _listed(rest.get("modalities")):
        raise UsageError("modalities holds 'audio': speech cannot be checked. Ask for text.")
    if rest.get("stream") and _is_more_than_one(rest.get("n")):
        raise UsageError(f"a stream of n={rest['n']} answers cannot be checked. Ask for one, or leave out stream.")
    listed = list(messages)
    asked = _last_question(listed) if question is None else read_question(question)
    body = {**rest, "messages": listed}
    return Request(body=body, messages=tuple(listed), question=asked, policy=policy, mode=mode)


def given_passages(passages: object) -> tuple[Passage, ...]:
    """The passages of a call, or what it should have said."""
    if passages is None:
        raise UsageError(
            "there are no passages to check the answer against. Call create(..., passages=[...]), with [] for none, "
            "or give the client passages_from=<function of the messages>."
        )
    return read_passages(passages)


def _last_question(messages: Iterable[Any]) -> str | None:
    asked = [message for message in messages if _get(message, "role") == "user"]
    content = _get(asked[-1], "content") if asked else None
    if isinstance(content, list):
        content = "\n".join(str(_get(part, "text")) for part in content if _get(part, "type") == "text")
    return content if isinstance(content, str) and content else None


def _get(message: Any, name: str) -> Any:
    """Messages are mappings, or objects of the vendor that were once answers."""
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _is_more_than_one(value: object) -> bool:
    return isinstance(value, int) and value > 1
