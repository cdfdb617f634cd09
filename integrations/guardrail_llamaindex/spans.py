"""Where the spans of a check hang in a service that OpenInference's instrumentation of LlamaIndex traces.

The guard never imports the instrumentation: where the service has not started it, nothing here listens to a model.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

from llama_index.core.instrumentation.events.llm import (
    LLMChatEndEvent,
    LLMChatStartEvent,
    LLMCompletionEndEvent,
    LLMCompletionStartEvent,
)
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.base import BaseEvent
from llama_index_instrumentation.event_handlers import BaseEventHandler
from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, Span

from guardrail.telemetry.events import Generations, generation_found_by

_INSTRUMENTATION = "openinference.instrumentation.llama_index"
_STARTS = (LLMChatStartEvent, LLMCompletionStartEvent)

_log = logging.getLogger(__name__)
_installing = Lock()


class Written:
    """Hears of the models' calls in one query or turn."""

    def __init__(self, current: Callable[[], Any]) -> None:
        self._current = current
        self.calls: Generations[str] = Generations()

    def hear(self, event: BaseEvent) -> None:
        """Take an event of a model; what begins is in its own span."""
        name = event.span_id or ""
        if isinstance(event, _STARTS) and isinstance(span := self._current(), Span):
            self.calls.add(name, span)
        if isinstance(event, (LLMChatEndEvent, LLMCompletionEndEvent)) and event.response is not None:
            message = getattr(event.response, "message", None)
            text = getattr(event.response, "text", "") if message is None else message.content
            raw = event.response.raw
            self.calls.set_reply(name, text or "", raw.get("id") if isinstance(raw, dict) else getattr(raw, "id", None))


_HEARD: ContextVar[Written | None] = ContextVar("guardrail_written", default=None)


class _Listener(BaseEventHandler):
    """Hands the models' events of guarded engines to the call that they belong to."""

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "GuardrailListener"

    def handle(self, event: BaseEvent, **_: Any) -> None:
        """See Written."""
        if (heard := _HEARD.get()) is not None:
            heard.hear(event)


class Place:
    """One call's place among the spans; made where the call begins."""

    def __init__(self) -> None:
        tracing = _tracing()
        self._written = None if tracing is None else Written(tracing)
        self._span = trace.get_current_span().get_span_context()
        if tracing is not None:
            listen(_Listener)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """What the models inside write may be the answer."""
        token = _HEARD.set(self._written)
        try:
            yield
        finally:
            _HEARD.reset(token)

    @contextmanager
    def check(self, *, stream: bool = False) -> Iterator[None]:
        """Evaluations of what is checked inside hang under the call of the model that wrote it.

        A stream may be read in another thread, or once the span around its call has ended: its check still hangs there.
        """
        with ExitStack() as stack:
            if stream and self._span.is_valid:
                stack.enter_context(within(trace.set_span_in_context(NonRecordingSpan(self._span))))
            if self._written is not None:
                stack.enter_context(generation_found_by(self._written.calls.of))
            yield


@contextmanager
def within(given: Context) -> Iterator[None]:
    """Make a context of OpenTelemetry the current one."""
    token = context.attach(given)
    try:
        yield
    finally:
        context.detach(token)


def _tracing() -> Callable[[], Any] | None:
    """Asks the instrumentation for the span that the dispatcher is in; None = the service has not started it."""
    module = sys.modules.get(_INSTRUMENTATION)
    if module is None:
        return None
    try:
        started = module.LlamaIndexInstrumentor().is_instrumented_by_opentelemetry
        current: Callable[[], Any] = module.get_current_span
    except Exception as error:
        _log.debug("an instrumentation of another kind", exc_info=error)
        return None
    return current if started else None


def listen(kind: type[BaseEventHandler]) -> None:
    """Have the root dispatcher tell a handler of this kind of all events; once."""
    root = get_dispatcher()
    with _installing:
        if not any(isinstance(handler, kind) for handler in root.event_handlers):
            root.add_event_handler(kind())
