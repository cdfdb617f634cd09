"""The calls of models that may have written one answer. For integrations, which hear of them."""

from __future__ import annotations

from typing import Generic, TypeVar

from opentelemetry.trace import Span

from guardrail.telemetry.events import Generation

K = TypeVar("K")


class Generations(Generic[K]):
    """Spans of calls, what they wrote, and the provider's ids of that; by what the framework tells calls apart."""

    def __init__(self) -> None:
        self._spans: dict[K, Span] = {}
        self._said: dict[K, tuple[str, str | None]] = {}

    def __contains__(self, call: K) -> bool:
        return call in self._spans

    def began(self, call: K, span: Span) -> None:
        """A call is in this span."""
        self._spans[call] = span

    def said(self, call: K, text: str, response_id: object) -> None:
        """A call has written; a ``response_id`` that is no str counts as none."""
        self._said[call] = (text.strip(), response_id if isinstance(response_id, str) else None)

    def wrote(self, answer: str) -> Generation | None:
        """The call that wrote an answer: the first whose text it is, else the only one; None = not known."""
        calls = [call for call, (text, _) in self._said.items() if text == answer.strip()]
        if not calls and len(self._spans) == 1:
            calls = list(self._spans)
        span = self._spans.get(calls[0]) if calls else None
        return None if span is None else Generation(span.get_span_context(), self._said.get(calls[0], ("", None))[1])
