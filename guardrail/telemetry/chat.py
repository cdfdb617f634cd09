"""Requests to a judge model: a span and metrics by OpenTelemetry's conventions for clients of generative models."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import context
from opentelemetry.trace import Span

from guardrail.telemetry import metrics, spans
from guardrail.telemetry.observation import active
from guardrail.telemetry.spans import Value
from guardrail.telemetry.stages import settings_of


class Chat:
    """One request.

    Args:
        model: Name of the model.
        provider: Who serves it, by OpenTelemetry's names; None where that is not known.
        prompt: Identity of the prompt: its name, version and hash.
        system: What the model has to do.
        user: The texts that it is given.

    Attributes:
        reply: What it said, once it has.
    """

    def __init__(self, model: str, provider: str | None, prompt: str, system: str, user: str) -> None:
        self._seen = active()
        self._settings = settings_of(self._seen)
        self._model, self._system, self._user = model, system, user
        self._request = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model}
        if provider is not None:
            self._request["gen_ai.provider.name"] = provider
        self._common = {} if self._seen is None else self._seen.common
        self.reply: str | None = None
        attributes: dict[str, Value] = {**self._request, "llm.model_name": model, "guardrail.prompt": prompt}
        self.span: Span = spans.start(self._settings.tracer, f"chat {model}", "LLM", attributes, client=True)
        self._started = time.perf_counter()

    def set_usage(
        self, input_tokens: int | None, cached_tokens: int | None, output_tokens: int | None, cost: float | None
    ) -> None:
        """What the request cost, also one that failed: tokens as the provider counts them, None where it does not.

        ``cost`` is None where prices are not known.
        """
        total = None if input_tokens is None or output_tokens is None else input_tokens + output_tokens
        counts = {
            "gen_ai.usage.input_tokens": input_tokens,
            "gen_ai.usage.output_tokens": output_tokens,
            "llm.token_count.prompt": input_tokens,
            "llm.token_count.completion": output_tokens,
            "llm.token_count.total": total,
            "llm.token_count.prompt_details.cache_read": cached_tokens,
        }
        spans.describe(self.span, {name: count for name, count in counts.items() if count is not None})
        made = self._settings.instruments
        for kind, count in (("input", input_tokens), ("cached", cached_tokens), ("output", output_tokens)):
            if count:
                metrics.add(made.judge_tokens, count, {**self._common, "token_type": kind})
                if kind != "cached":
                    metrics.record(made.usage, count, self._operation | {"gen_ai.token.type": kind})
        if cost:
            metrics.add(made.judge_cost, cost, self._common)

    def end(self, error: BaseException | None) -> None:
        """The request is over; one that was given up (CancelledError and the like) is no error of the model."""
        made, labels = self._settings.instruments, self._operation
        if error is not None:
            labels = labels | {"error.type": spans.error_type(error)}
            spans.describe(self.span, {"error.type": spans.error_type(error)})
        with spans.current(self.span):  # for exemplars
            metrics.record(made.operation, time.perf_counter() - self._started, labels)
            outcome = "ok" if error is None else "error" if isinstance(error, Exception) else "cancelled"
            metrics.add(made.judge_calls, 1, {**self._common, "outcome": outcome, "gen_ai.request.model": self._model})
        if self._settings.content is not None and spans.recording(self.span):
            spans.describe(self.span, self._settings.content.chat(self._system, self._user, self.reply))
        spans.end(self.span)

    @property
    def _operation(self) -> dict[str, str]:
        return {**self._common, **self._request}


@contextmanager
def chat(model: str, provider: str | None, prompt: str, system: str, user: str) -> Iterator[Chat]:
    """One request to a model; instrumentations of the client keep quiet inside the block (see Chat)."""
    asked = Chat(model, provider, prompt, system, user)
    failure: BaseException | None = None
    try:
        with spans.current(asked.span):
            token = context.attach(spans.quiet())
            try:
                yield asked
            finally:
                context.detach(token)
    except BaseException as error:
        failure = error
        raise
    finally:
        asked.end(failure)
