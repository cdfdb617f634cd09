"""Where the spans of a check hang in a service that OpenInference's instrumentation of LangChain traces.

That keeps its spans out of OpenTelemetry's context, so they are asked for by the run that they stand for. The guard
never imports the instrumentation: where the service has not started it, nothing here does anything.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.callbacks.base import BaseCallbackManager
from langchain_core.outputs import LLMResult
from langchain_core.runnables.config import ensure_config
from opentelemetry.trace import Span

from guardrail.telemetry import spans
from guardrail.telemetry.events import Generations, generation_found_by
from guardrail_langchain.answers import text_of

_INSTRUMENTATION = "openinference.instrumentation.langchain"

_log = logging.getLogger(__name__)


class Written(BaseCallbackHandler):
    """Hears of the models' runs in one call.

    Made for one call and handed only to its runs. A span can be asked for until its run has ended; the instrumentation
    hears of the start before this handler in sync chains, and of the end after it in async ones.
    """

    run_inline = True
    ignore_chain = True
    ignore_retriever = True
    ignore_agent = True
    ignore_retry = True
    ignore_custom_event = True

    def __init__(self, tracing: Any) -> None:
        self._tracing = tracing
        self.runs: Generations[UUID] = Generations()

    def on_chat_model_start(self, *_: Any, run_id: UUID, **__: Any) -> None:
        """A chat model begins."""
        self._see(run_id)

    def on_llm_start(self, *_: Any, run_id: UUID, **__: Any) -> None:
        """A model begins."""
        self._see(run_id)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """A model has written."""
        self._see(run_id)
        first = next((each for some in response.generations for each in some), None)
        message = getattr(first, "message", None)
        text = getattr(first, "text", "") if message is None else text_of(message)
        self.runs.set_reply(run_id, text, (getattr(message, "response_metadata", None) or {}).get("id"))

    def _see(self, run_id: UUID) -> None:
        if run_id not in self.runs and (span := _span_of(self._tracing, run_id)) is not None:
            self.runs.add(run_id, span)


class Place:
    """One call's place among the spans; made where its run has begun.

    Args:
        run_id: The call's own run; None = the run that surrounds it.
    """

    def __init__(self, run_id: UUID | None = None) -> None:
        tracing = _tracing()
        self._span: Span | None = None
        self.written: Written | None = None
        if tracing is not None:
            self.written = Written(tracing)
            run_id = run_id or _surrounding()
            self._span = None if run_id is None else _span_of(tracing, run_id)

    @contextmanager
    def check(self) -> Iterator[None]:
        """Spans that begin inside hang under the call's, and evaluations under the model's that wrote the answer."""
        with ExitStack() as stack:
            if self._span is not None:
                stack.enter_context(spans.current(self._span))
            if self.written is not None:
                stack.enter_context(generation_found_by(self.written.runs.of))
            yield


def _tracing() -> Any:
    """The instrumentation, if the service has started it."""
    module = sys.modules.get(_INSTRUMENTATION)
    if module is None:
        return None
    try:
        found = module.LangChainInstrumentor()
        started = found.is_instrumented_by_opentelemetry
    except Exception as error:
        _log.debug("an instrumentation of another kind", exc_info=error)
        return None
    return found if started else None


def _span_of(tracing: Any, run_id: UUID) -> Span | None:
    try:
        span = tracing.get_span(run_id)
    except Exception as error:
        _log.debug("an instrumentation of another kind", exc_info=error)
        return None
    return span if isinstance(span, Span) else None


def _surrounding() -> UUID | None:
    callbacks = ensure_config().get("callbacks")
    return callbacks.parent_run_id if isinstance(callbacks, BaseCallbackManager) else None
