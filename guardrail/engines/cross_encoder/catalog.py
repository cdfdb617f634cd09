"""The models that can be named, as their authors document them, and the options with which any of them is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigurationError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """What one needs to know to run a model and to read its output.

    Attributes:
        name: What users call it.
        models: Hub ids by variant; the first is the default. Empty: the user names the model.
        labels: What the outputs mean, in order, where the config does not say; from the authors' code. Empty: the
            config must say it.
        base: Hub id of the model whose config and tokenizer are needed beside the weights, by variant.
        threshold: Score from which the authors count a claim as supported.
        english: Whether the model was trained on English only.
        licence: Of the weights.
    """

    name: str
    models: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    base: Mapping[str, str] = field(default_factory=dict)
    threshold: float = 0.5
    english: bool = True
    licence: str = ""

    @property
    def default(self) -> str | None:
        """The variant taken where none is named."""
        return next(iter(self.models), None)


_MIN_TOKENS = 96
"""Fewer cannot hold a prompt, a claim and some of a passage."""

_NOT_THEN_YES = ("unsupported", "supported")

SPECS: Mapping[str, ModelSpec] = {
    spec.name: spec
    for spec in (
        # Tang et al., EMNLP 2024; github.com/Liyan06/MiniCheck, minicheck/inference.py: probability at index 1.
        ModelSpec(
            name="minicheck",
            models={
                "flan-t5-large": "lytang/MiniCheck-Flan-T5-Large",
                "roberta-large": "lytang/MiniCheck-RoBERTa-Large",
                "deberta-v3-large": "lytang/MiniCheck-DeBERTa-v3-Large",
            },
            labels=_NOT_THEN_YES,
            licence="MIT",
        ),
        # Lei et al., NAACL 2025; github.com/derenlei/FactCG, factcg/inference.py: probability at index 1.
        ModelSpec(
            name="factcg",
            models={"deberta-v3-large": "yaxili96/FactCG-DeBERTa-v3-Large"},
            labels=_NOT_THEN_YES,
            licence="MIT (of the code)",
        ),
        # Model card of HHEM-2.1-Open: outputs are `hallucinated` and `consistent`, in this order.
        ModelSpec(
            name="hhem",
            models={"2.1-open": "vectara/hallucination_evaluation_model"},
            labels=_NOT_THEN_YES,
            base={"2.1-open": "google/flan-t5-base"},
            licence="Apache-2.0",
        ),
        # Zha et al., ACL 2023; github.com/yuh-zha/AlignScore, src/alignscore: 3-way head, aligned first, NLI order.
        ModelSpec(
            name="alignscore",
            models={"large": "yzha/AlignScore", "base": "yzha/AlignScore"},
            labels=("supported", "neutral", "contradicted"),
            base={"large": "FacebookAI/roberta-large", "base": "FacebookAI/roberta-base"},
            licence="MIT (of the code)",
        ),
        # Kovács and Recski, 2025; github.com/KRLabsOrg/LettuceDetect: 0 = supported, 1 = hallucinated, per token.
        ModelSpec(
            name="lettucedetect",
            models={
                "base": "KRLabsOrg/lettucedect-base-modernbert-en-v1",
                "large": "KRLabsOrg/lettucedect-large-modernbert-en-v1",
                "mmbert": "KRLabsOrg/lettucedect-v2-mmbert-base",
            },
            labels=("supported", "unsupported"),
            licence="MIT; mmbert: Apache-2.0",
        ),
        ModelSpec(name="nli"),
    )
}
"""By name."""


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
        if self.max_tokens is not None and self.max_tokens < _MIN_TOKENS:
            raise ConfigurationError(f"max_tokens must be at least {_MIN_TOKENS}, got {self.max_tokens}.")
        if self.labels is not None:
            if isinstance(self.labels, str) or not all(isinstance(label, str) for label in self.labels):
                raise ConfigurationError(f"labels must be a tuple of names, got {self.labels!r}.")
            object.__setattr__(self, "labels", tuple(self.labels))


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
