"""Token counts in the shapes in which providers give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

_INPUT = ("prompt_tokens", "input_tokens", "prompt_token_count", "prompt_eval_count")
_OUTPUT = ("completion_tokens", "output_tokens", "candidates_token_count", "eval_count")
_CACHED = ("cached_tokens", "cache_read", "cache_read_input_tokens", "prompt_cache_hit_tokens")
_DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details")


class Tokens(TypedDict):
    """Counts of a Completion; None = not counted."""

    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None


def read_tokens(usage: object) -> Tokens:
    """The counts in a provider's usage.

    Args:
        usage: A mapping or object of the provider; None and strangers give no counts.
    """
    cached = _first(usage, _CACHED)
    for name in _DETAILS:
        cached = _first(_field(usage, name), _CACHED) if cached is None else cached
    return {"input_tokens": _first(usage, _INPUT), "cached_tokens": cached, "output_tokens": _first(usage, _OUTPUT)}


def _first(owner: object, names: tuple[str, ...]) -> int | None:
    found = (_field(owner, name) for name in names)
    return next((n for n in found if isinstance(n, int) and not isinstance(n, bool) and n >= 0), None)


def _field(owner: object, name: str) -> Any:
    return owner.get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)
