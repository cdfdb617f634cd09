"""What the outputs of a head mean: read from the config, never assumed from their order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import ConfigurationError

_ROLES = {
    "supported": "supported supports support entailment entails entailed consistent factual faithful grounded aligned",
    "contradicted": "contradicted contradicts contradiction contradictory refuted refutes",
    "neutral": "neutral notenoughinfo nei unrelated",
    "unsupported": "unsupported notsupported notentailment notentailed nonentailment inconsistent notconsistent "
    "hallucinated hallucination nonfactual unfaithful ungrounded notgrounded",
}
_ROLE_OF = {word: role for role, words in _ROLES.items() for word in words.split()}
_GENERIC = re.compile(r"LABEL_\d+")
_PUNCTUATION = re.compile(r"[\W_]+")
_HELP = "Say what its outputs mean, in order, with labels=('contradicted', 'supported', 'neutral') or the like."


_OTHERS = {
    1: ([],),
    2: (["contradicted"], ["neutral"], ["unsupported"]),
    3: (["contradicted", "neutral"],),
}
"""What may stand beside "supported", by the number of labels."""


@dataclass(frozen=True, slots=True)
class Head:
    """Which outputs of a head of ``width`` labels say what; ``contradicted`` is None for 1- and 2-way heads."""

    width: int
    supported: int
    contradicted: int | None = None

    def probabilities(self, logits: NDArray[Any]) -> NDArray[np.float64]:
        """P(supported) and P(contradicted): shape (n, 2) from logits of shape (n, width).

        Raises:
            ConfigurationError: the model gives another number of outputs.
        """
        table = np.asarray(logits, dtype=np.float64)
        table = table.reshape(len(table), -1)
        if table.shape[1] != self.width:
            raise ConfigurationError(f"the model gives {table.shape[1]} outputs, its labels name {self.width}.")
        if self.width == 1:
            supported = 1.0 / (1.0 + np.exp(-np.clip(table[:, 0], -500.0, 500.0)))
            return np.stack([supported, np.zeros(len(table))], axis=1)
        shifted = np.exp(table - table.max(axis=1, keepdims=True))
        shares = shifted / shifted.sum(axis=1, keepdims=True)
        against = np.zeros(len(table)) if self.contradicted is None else shares[:, self.contradicted]
        return np.stack([shares[:, self.supported], against], axis=1)


def read_head(config: Mapping[str, Any], labels: Sequence[str] | None, documented: Sequence[str], where: str) -> Head:
    """The head that a model's config describes.

    Args:
        config: The content of config.json.
        labels: What the caller says the outputs mean; it goes before everything else.
        documented: What the model's authors say, for configs that only number their labels.
        where: Name of the model, for messages.

    Raises:
        ConfigurationError: the labels contradict each other, or nobody says which of them means "supported".
    """
    if labels is not None:
        names = tuple(labels)
    else:
        names = _configured(config, where)
        if not names or all(_GENERIC.fullmatch(name) for name in names):
            if documented and len(names) in (0, len(documented)):
                names = tuple(documented)
            elif not names:
                names = ("LABEL_0", "LABEL_1")
    roles = [_ROLE_OF.get(_PUNCTUATION.sub("", name.casefold())) for name in names]
    others = sorted(role or "unknown" for role in roles if role != "supported")
    if others not in _OTHERS.get(len(roles), ()):
        raise ConfigurationError(f"cannot tell what the labels {names!r} of the model {where!r} mean. {_HELP}")
    three = len(roles) == 3
    return Head(len(roles), roles.index("supported"), roles.index("contradicted") if three else None)


def _configured(config: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Label names in the order of the outputs; none where the config has none."""
    by_number = {int(number): str(name) for number, name in (config.get("id2label") or {}).items()}
    by_name = {int(number): str(name) for name, number in (config.get("label2id") or {}).items()}
    if by_number and by_name and by_number != by_name:
        raise ConfigurationError(f"id2label and label2id in the config of {where!r} contradict each other. {_HELP}")
    found = by_number or by_name
    if sorted(found) != list(range(len(found))):
        raise ConfigurationError(f"the labels in the config of {where!r} are not numbered from 0 on. {_HELP}")
    return tuple(found[number] for number in range(len(found)))
