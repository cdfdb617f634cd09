"""Where scores can be written, with keys and addresses from the environment, by the names that the vendors use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, Self

from guardrail.errors import MissingExtraError, UsageError, did_you_mean

if TYPE_CHECKING:
    from types import TracebackType

    from guardrail_scores import Score


class Sink(Protocol):
    """Takes scores of traces; called by several threads at once, closed by ``with``."""

    def write_scores(self, scores: Iterable[Score], ident: str, /) -> None:
        """The scores of the trace (LangSmith: run) of that id; written again they replace themselves."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None, /
    ) -> None: ...


def open_sink(name: str, url: str | None = None, environment: Mapping[str, str] = os.environ) -> Sink:
    """The sink of that name.

    Args:
        name: One of SINKS.
        url: Where it is; None = as the environment says, else where the vendor has it.
        environment: LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_HOST; LANGSMITH_API_KEY and
            LANGSMITH_ENDPOINT; PHOENIX_API_KEY (where it wants one) and PHOENIX_COLLECTOR_ENDPOINT.

    Raises:
        UsageError: there is no such sink, or a key is missing.
        MissingExtraError: the extra ``scores`` is not installed.
    """
    if name not in SINKS:
        raise UsageError(f"scores cannot be written to {name!r}. {did_you_mean(name, SINKS)}")
    try:
        import httpx  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError('writing scores needs httpx: pip install "rag-guardrail[scores]"') from error
    return SINKS[name](url, environment)


def _langfuse(url: str | None, environment: Mapping[str, str]) -> Sink:
    from guardrail_scores import Langfuse

    keys = [_key(environment, name) for name in ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")]
    host = url or environment.get("LANGFUSE_HOST") or environment.get("LANGFUSE_BASE_URL")
    return Langfuse(keys[0], keys[1], host) if host else Langfuse(keys[0], keys[1])


def _langsmith(url: str | None, environment: Mapping[str, str]) -> Sink:
    from guardrail_scores import LangSmith

    key, host = _key(environment, "LANGSMITH_API_KEY"), url or environment.get("LANGSMITH_ENDPOINT")
    return LangSmith(key, host) if host else LangSmith(key)


def _phoenix(url: str | None, environment: Mapping[str, str]) -> Sink:
    from guardrail_scores import Phoenix

    key, host = environment.get("PHOENIX_API_KEY"), url or environment.get("PHOENIX_COLLECTOR_ENDPOINT")
    return Phoenix(host, key) if host else Phoenix(api_key=key)


def _key(environment: Mapping[str, str], name: str) -> str:
    if not environment.get(name):
        raise UsageError(f"{name} is not set. Set it to the key of the project that the traces are in.")
    return environment[name]


SINKS: dict[str, Callable[[str | None, Mapping[str, str]], Sink]] = {
    "langfuse": _langfuse,
    "langsmith": _langsmith,
    "phoenix": _phoenix,
}
"""By name, as the command line has them."""
