"""How to run a model; the defaults are what its authors document."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigurationError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of every cross-encoder engine.

    Attributes:
        labels: What the outputs of the head mean, in order ("supported", "unsupported", "contradicted", "neutral").
        window: Size of a window of a passage, in the unit of the model's chunking rule; None = as documented.
        max_tokens: Most tokens read at once; None = as documented.
        multilingual: Whether the model reads other languages than English; else such segments are unverified.
        base: Folder or hub id of the config and tokenizer, for weights that come without (hhem, alignscore).
        download: Whether missing files may be downloaded, once, when the engine is made.
        revision: Commit, tag or branch on the hub.
        device: ``cpu``, ``cuda``, ...; None = the GPU if there is one.
        batch_tokens: Tokens per forward pass, padding included: more needs more memory.
    """

    labels: tuple[str, ...] | None = None
    window: int | None = None
    max_tokens: int | None = None
    multilingual: bool = False
    base: str | Path | None = None
    download: bool = True
    revision: str | None = None
    device: str | None = None
    batch_tokens: int = 4096

    @property
    def scoring(self) -> str:
        """The options that change scores and are not the defaults, each after a space; files have a fingerprint."""
        names = ("labels", "window", "max_tokens", "multilingual", "revision")
        return "".join(f" {n}:{value}" for n in names if (value := getattr(self, n)) not in (None, False))

    def __post_init__(self) -> None:
        for name in ("window", "max_tokens", "batch_tokens"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise ConfigurationError(f"{name} must be a whole number from 1 on, got {value!r}.")
        if self.max_tokens is not None and self.max_tokens < MIN_TOKENS:
            raise ConfigurationError(f"max_tokens must be at least {MIN_TOKENS}, got {self.max_tokens}.")
        if self.labels is not None:
            if isinstance(self.labels, str) or not all(isinstance(label, str) for label in self.labels):
                raise ConfigurationError(f"labels must be a tuple of names, got {self.labels!r}.")
            object.__setattr__(self, "labels", tuple(self.labels))


MIN_TOKENS = 96
"""Fewer cannot hold a prompt, a claim and some of a passage."""


def read_options(given: dict[str, Any]) -> Options:
    """Options from keywords.

    Raises:
        ConfigurationError: an option is unknown or has no meaning.
    """
    known = [f.name for f in fields(Options)]
    for name in given:
        if name not in known:
            raise ConfigurationError(f"unknown option {name!r} of a cross-encoder. {did_you_mean(name, known)}")
    return Options(**given)
