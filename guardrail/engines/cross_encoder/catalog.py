"""The models that can be named, as their authors document them (docs: which one to choose, and the sources)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
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


_NOT_THEN_YES = ("unsupported", "supported")

CARDS: Mapping[str, Card] = {
    card.name: card
    for card in (
        # Tang et al., EMNLP 2024; github.com/Liyan06/MiniCheck, minicheck/inference.py: probability at index 1.
        Card(
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
        Card(
            name="factcg",
            models={"deberta-v3-large": "yaxili96/FactCG-DeBERTa-v3-Large"},
            labels=_NOT_THEN_YES,
            licence="MIT (of the code)",
        ),
        # Model card of HHEM-2.1-Open: outputs are `hallucinated` and `consistent`, in this order.
        Card(
            name="hhem",
            models={"2.1-open": "vectara/hallucination_evaluation_model"},
            labels=_NOT_THEN_YES,
            base={"2.1-open": "google/flan-t5-base"},
            licence="Apache-2.0",
        ),
        # Zha et al., ACL 2023; github.com/yuh-zha/AlignScore, src/alignscore: 3-way head, aligned first, NLI order.
        Card(
            name="alignscore",
            models={"large": "yzha/AlignScore", "base": "yzha/AlignScore"},
            labels=("supported", "neutral", "contradicted"),
            base={"large": "FacebookAI/roberta-large", "base": "FacebookAI/roberta-base"},
            licence="MIT (of the code)",
        ),
        # Kovács and Recski, 2025; github.com/KRLabsOrg/LettuceDetect: 0 = supported, 1 = hallucinated, per token.
        Card(
            name="lettucedetect",
            models={
                "base": "KRLabsOrg/lettucedect-base-modernbert-en-v1",
                "large": "KRLabsOrg/lettucedect-large-modernbert-en-v1",
                "mmbert": "KRLabsOrg/lettucedect-v2-mmbert-base",
            },
            labels=("supported", "unsupported"),
            licence="MIT; mmbert: Apache-2.0",
        ),
        Card(name="nli"),
    )
}
"""Cards by name."""
