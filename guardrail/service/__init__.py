"""The guard as an HTTP service: ``guardrail serve``, or ``create_app(settings)`` in an application of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guardrail.service.app import create_app
    from guardrail.service.service import Service
    from guardrail.service.settings import Settings

__all__ = ["Service", "Settings", "create_app"]

_WHERE = {"create_app": "app", "Service": "service", "Settings": "settings"}


def __getattr__(name: str) -> object:
    """Starlette and pydantic-settings are loaded only where the service is used."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from guardrail.errors import MissingExtraError

    try:
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f'the service needs {error.name}: pip install "rag-guardrail[service]"') from error
