"""Which callback handlers hear of the runs inside a wrapper.

Handlers that stream to the caller (``astream_events``, ``astream_log``, LangGraph's stream modes) would hand out the
raw answer token by token, before it is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManager,
    AsyncCallbackManagerForChainRun,
    BaseCallbackHandler,
    CallbackManager,
    CallbackManagerForChainRun,
)
from langchain_core.callbacks.base import BaseCallbackManager
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, patch_config, var_child_runnable_config
from langchain_core.tracers.context import tracing_v2_callback_var
from opentelemetry import context

from guardrail.telemetry.spans import quiet
from guardrail.wrap.kinds import HideFrom

_SUBGRAPH_WAYS = frozenset({"__pregel_stream", "__pregel_checkpointer"})
"""By these a LangGraph graph inside a node streams its state to the outer caller, and writes it to the checkpoints."""


def inner_config(
    config: RunnableConfig,
    run_manager: CallbackManagerForChainRun | AsyncCallbackManagerForChainRun,
    hide_from: HideFrom,
    *listeners: BaseCallbackHandler | None,
) -> RunnableConfig:
    """The config for runs inside: tags, metadata and configurable values stay; ``listeners`` hear in any case.

    It also becomes the ambient one, for models called without a config (by a Runnable of the caller's own, a rewriter).
    Call it in a context of one's own (as ``_call_with_config`` makes): nothing sets it back.
    """
    child: CallbackManager | AsyncCallbackManager = run_manager.get_child()
    _silence(child, hide_from)
    for listener in listeners:
        if listener is not None:
            child.add_handler(listener, inherit=True)
    inner = patch_config(config, callbacks=child)
    if hide_from != "nobody" and "configurable" in inner:
        inner["configurable"] = {k: v for k, v in inner["configurable"].items() if k not in _SUBGRAPH_WAYS}
    var_child_runnable_config.set(inner)
    return inner


def ambient_config(hide_from: HideFrom, listener: BaseCallbackHandler | None = None) -> RunnableConfig:
    """The same for a place that has no run of its own: from the config that surrounds it."""
    config = ensure_config()
    callbacks = config.get("callbacks")
    if isinstance(callbacks, BaseCallbackManager):
        callbacks = callbacks.copy()
        _silence(callbacks, hide_from)
        if listener is not None:
            callbacks.add_handler(listener, inherit=True)
    elif callbacks:
        callbacks = [handler for handler in callbacks if _stays(handler, hide_from)]
    elif hide_from == "all":
        callbacks = []
    config["callbacks"] = callbacks
    return config


def disable_langsmith(hide_from: HideFrom) -> None:
    """With ``hide_from="all"``, LangSmith attaches no tracer of its own accord to what runs in this context.

    Call it in a context of one's own (as ``_call_with_config`` makes): nothing sets it back.
    """
    if hide_from == "all":
        from langsmith.run_helpers import _set_tracing_context  # a slow import, as LangChain itself defers it

        tracing_v2_callback_var.set(None)
        _set_tracing_context({"enabled": False})


@contextmanager
def suppress_tracing(hide_from: HideFrom) -> Iterator[None]:
    """With ``hide_from="all"``, no OpenTelemetry instrumentation makes a span of what runs inside the block, either.

    Those of LangChain add their handler to every run anew, and those of clients know nothing of handlers.
    """
    if hide_from != "all":
        yield
        return
    token = context.attach(quiet())
    try:
        yield
    finally:
        context.detach(token)


def _silence(manager: BaseCallbackManager, hide_from: HideFrom) -> None:
    manager.handlers = [handler for handler in manager.handlers if _stays(handler, hide_from)]
    manager.inheritable_handlers = [h for h in manager.inheritable_handlers if _stays(h, hide_from)]


def _stays(handler: Any, hide_from: HideFrom) -> bool:
    # LangChain's mark of a handler that streams to the caller; its class is private there.
    return hide_from == "nobody" or (hide_from == "streams" and not hasattr(handler, "tap_output_iter"))
