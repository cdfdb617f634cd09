"""A request of the proxy: what of it is ours, what goes to the upstream, and the passages that it brings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from guardrail.errors import did_you_mean
from guardrail.repair.feedback import Feedback
from guardrail.retrieval.request.evidence import QUERY, SOURCE, Trust
from guardrail.retrieval.request.found import Evidence
from guardrail.service.errors import Invalid, Malformed
from guardrail.service.proxy.evidence import find_evidence
from guardrail.service.proxy.json_text import dumps, edited, items, members, without
from guardrail.types import Span

OURS: Final = "guardrail"
"""The field of requests and replies that is ours."""

Key = Literal["messages", "input"]
Mode = Literal["buffer", "sentence", "observe"]

_OPTIONS: Final = ("passages", "question", "guard", "answer_field", "stream")
_ONLY_FIRST: Final = ("stream", "stream_options", "n")
_TAGS: Final = (SOURCE, QUERY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request.

    Attributes:
        body: Its JSON.
        sent: What the upstream gets: the text of the request without what is ours.
        key: Where the messages are.
        evidence: The passages that it brings.
        guard: Name of the guard that it asks for.
        field: Of an answer in JSON, the field that holds the text; None = it is looked for.
        mode: When the text of a stream leaves; None = as the guard's settings say.
    """

    body: Mapping[str, Any]
    sent: str
    key: Key
    evidence: Evidence
    guard: str | None = None
    field: str | None = None
    mode: Mode | None = None

    @property
    def structured(self) -> bool:
        """Whether the answer is asked for in JSON."""
        text = self.body.get("text")
        form = self.body.get("response_format") or (text.get("format") if isinstance(text, Mapping) else None)
        return isinstance(form, Mapping) and form.get("type") in ("json_schema", "json_object")

    @property
    def may_call_tools(self) -> bool:
        """Whether words of the answer may be those that go along with a call of a tool."""
        return bool(self.body.get("tools") or self.body.get("functions"))

    @property
    def can_be_asked_again(self) -> bool:
        """Whether a new attempt leaves no trace in a conversation that the vendor keeps."""
        return not self.body.get("conversation")

    def with_feedback(self, feedback: Feedback) -> str:
        """The same request after the answer that did not pass and what was wrong with it: one choice, no stream."""
        body = {name: value for name, value in json.loads(self.sent).items() if name not in _ONLY_FIRST}
        given = body.get(self.key)
        before = [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())
        said = {"role": "assistant", "content": feedback.answer}
        return dumps({**body, self.key: [*before, said, {"role": "user", "content": feedback.text}]})


def read_json(raw: bytes) -> tuple[str, dict[str, Any]]:
    """A body as text and as an object.

    Raises:
        Malformed: it is neither UTF-8 nor a JSON object.
    """
    try:
        text = raw.decode("utf-8")
        body = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
        raise Malformed(f"the body is no JSON: {str(error)[:200]}.") from None
    if not isinstance(body, dict):
        raise Malformed(f"the body must be a JSON object, got {type(body).__name__}.")
    return text, body


def read_request(raw: bytes, key: Key, trust: Trust) -> Asked:
    """The request.

    Raises:
        Malformed: see read_json.
        Invalid: ``guardrail`` says something unknown, or the answer could not be checked: speech, or work in the
            background.
    """
    text, body = read_json(raw)
    ours = body.get(OURS)
    if ours is None:
        ours = {}
    if not isinstance(ours, Mapping):
        raise Invalid(f"guardrail must be an object, got {type(ours).__name__}.")
    for name in ours:
        if name not in _OPTIONS:
            raise Invalid(f"guardrail has no option {name[:40]!r}. {did_you_mean(name, _OPTIONS)}")
    if (mode := ours.get("stream")) not in (None, "buffer", "sentence"):
        raise Invalid(f"guardrail.stream must be 'buffer' or 'sentence', got {mode!r:.40}.")
    modalities = body.get("modalities")
    if isinstance(modalities, list) and "audio" in modalities:
        raise Invalid("modalities holds 'audio': speech cannot be checked. Ask for text.")
    if body.get("background"):
        raise Invalid("a response with background=true would be fetched unchecked. Leave it out.")
    return Asked(
        body=body,
        sent=_without_ours(text, body, key),
        key=key,
        evidence=find_evidence(body, trust),
        guard=_text(ours, "guard"),
        field=_text(ours, "answer_field"),
        mode=mode,
    )


def _text(ours: Mapping[str, Any], name: str) -> str | None:
    value = ours.get(name)
    if value is not None and not isinstance(value, str):
        raise Invalid(f"guardrail.{name} must be a text, got {type(value).__name__}.")
    return value


def _without_ours(text: str, body: Mapping[str, Any], key: Key) -> str:
    """The text without our field, and with tagged parts as plain texts, which every upstream knows."""
    if OURS in body:
        text = without(text, (), OURS)
    messages = body.get(key)
    tagged = {n for n, message in enumerate(messages) if _tagged(message)} if isinstance(messages, list) else set()
    if not tagged:
        return text
    plain = "text" if key == "messages" else "input_text"
    edits: list[tuple[Span, str]] = []
    for member in members(text):
        if member.key == key:
            for number, span in enumerate(items(text, member.value.start)):
                if number in tagged:
                    edits += _plain_parts(text, span, plain)
    return edited(text, edits)


def _tagged(message: Any) -> bool:
    content = message.get("content") if isinstance(message, Mapping) else None
    return isinstance(content, list) and any(isinstance(p, Mapping) and p.get("type") in _TAGS for p in content)


def _plain_parts(text: str, message: Span, plain: str) -> list[tuple[Span, str]]:
    edits = []
    for member in members(text, message.start):
        if member.key == "content" and text[member.value.start] == "[":
            for span in items(text, member.value.start):
                part = json.loads(span.of(text))
                if isinstance(part, dict) and part.get("type") in _TAGS:
                    kept = {name: value for name, value in part.items() if name not in ("id", "title")}
                    edits.append((span, dumps(kept | {"type": plain})))
    return edits
