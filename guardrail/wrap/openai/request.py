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


class NotCheckedError(UsageError, AttributeError):
    """A way to a model's text past the check: the guarded client does not have it."""


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

    def policy(self, given: Policy | str | None) -> Policy | None:
        """The policy of one call; None = the guard's own."""
        return None if given is None else self.guard.policy_of_call(given)

    def refuse(self, name: str) -> NoReturn:
        """Say that this is not checked; for ``getattr`` and ``hasattr``, that it is not there."""
        raise NotCheckedError(
            f"{name} is not checked by the guard. Use create or parse of chat.completions or responses, with "
            "passages=[...]. Where answers may leave unchecked, use the client within, or pass allow_unguarded=True to "
            "the guarded one."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call.

    Attributes:
        body: The arguments that the model's client gets.
        messages: Those of the body, as a list.
        key: Where they are in the body: ``messages``, or ``input``.
        question: What was asked.
        policy: None = the guard's own.
        mode: When the text of a stream leaves.
        field: The field that holds the answer, where the caller names one.
        as_json: Whether the model was told to answer with an object.
    """

    body: Mapping[str, Any]
    messages: Sequence[Any]
    key: str
    question: str | None
    policy: Policy | None
    mode: Mode
    field: str | None
    as_json: bool = False

    def with_feedback(self, feedback: Feedback) -> dict[str, Any]:
        """The same request, after the answer that did not pass and what was wrong with it; one choice, no stream."""
        body = {name: value for name, value in self.body.items() if name not in _ONLY_FIRST}
        said = {"role": "assistant", "content": feedback.answer}
        return {**body, self.key: [*self.messages, said, {"role": "user", "content": feedback.text}]}


def read_request(
    settings: Settings,
    rest: Mapping[str, Any],
    *,
    key: str = "messages",
    question: str | None,
    policy: Policy | str | None,
    mode: Mode | None = None,
    field: str | None,
) -> Request:
    """The call, if its answer can be checked.

    Args:
        settings: The client's.
        rest: What the vendor's client gets.
        key: Where the messages are in it.
        question: As given.
        policy: As given.
        mode: As given.
        field: As given.

    Raises:
        UsageError: it cannot, or an argument is wrong.
    """
    mode = read_mode(mode or settings.mode)
    if "audio" in _listed(rest.get("modalities")):
        raise UsageError("modalities holds 'audio': speech cannot be checked. Ask for text.")
    if rest.get("stream") and _is_more_than_one(rest.get("n")):
        raise UsageError(f"a stream of n={rest['n']} answers cannot be checked. Ask for one, or leave out stream.")
    given = rest.get(key) or ()
    listed = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    return Request(
        body=rest if not given or isinstance(given, str) else {**rest, key: listed},
        messages=tuple(listed),
        key=key,
        question=_last_question(listed) if question is None else read_question(question),
        policy=settings.policy(policy),
        mode=mode,
        field=field,
        as_json=field is not None or _asks_for_json(rest),
    )


def _asks_for_json(rest: Mapping[str, Any]) -> bool:
    """By ``response_format`` of chat completions, or ``text.format`` of responses."""
    forms = (rest.get("response_format"), _get(rest.get("text"), "format"))
    return any(_get(form, "type") in ("json_object", "json_schema") for form in forms)


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
        content = "\n".join(str(_get(part, "text")) for part in content if _get(part, "type") in ("text", "input_text"))
    return content if isinstance(content, str) and content else None


def _get(message: Any, name: str) -> Any:
    """Messages are mappings, or objects of the vendor that were once answers."""
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _is_more_than_one(value: object) -> bool:
    return isinstance(value, int) and value > 1
