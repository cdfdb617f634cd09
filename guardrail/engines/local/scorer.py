"""From signals to a probability: a small calibrated logistic model whose weights can only point the sensible way.

Fitted by ``training/fit.py`` on answers that the models never saw; the weights are data (``model/scorer.json``).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from guardrail.engines.local.model import MODEL_FOLDER
from guardrail.errors import ConfigurationError

ALONE, BESIDE = "scorer.json", "scorer_passages.json"
"""Files of a model's folder: the scorer of what that model reads, and of what it and one of whole passages read."""

SIGNS = {
    "joint_support": 1,
    "nearest_support": 1,
    "sentence_support": 1,
    "window_contradiction": -1,
    "joint_contradiction": -1,
    "clashing_values": -1,
    "missing_values": -1,
    "missing_names": -1,
    "refuted": -1,
    "unasserted": -1,
    "passage_support": 1,
}
"""Signal names in order and the direction each may push P(supported)."""

LONGEST = 5
"""Segments from which an answer's prior no longer changes, which bounds what padding can buy an error."""


class Signals(NamedTuple):
    """What is known of one segment against some evidence; the fields are those of SIGNS.

    ``*_support`` and ``*_contradiction`` are log-odds (clipped to +-6); ``nearest`` is the view with the greatest
    coverage: a window of short passages, mostly the joint view of long ones; ``sentence`` is the
    best sentence, read alone. (The best of all windows is no signal: in a long document some window always seems to
    agree. Nor is coverage: see docs/decisions/coverage-no-signal.md.) The other fields are the greatest weight
    (0..1) of a mismatch: a value that differs from the one in its place, one that is nowhere (mostly worked out, so
    it says less), a name or quotation that is nowhere, anything else that the evidence contradicts, and anything else
    that it does not assert. ``passage_support`` is what a second model makes of the passage that speaks most for it, as
    log-odds; 0 where there is none.
    """

    joint_support: float
    nearest_support: float
    sentence_support: float
    window_contradiction: float
    joint_contradiction: float
    clashing_values: float
    missing_values: float
    missing_names: float
    refuted: float
    unasserted: float
    passage_support: float = 0.0


def answer_prior(segments: int) -> float:
    """Log-odds that a segment is right, before reading, if half of all answers hold an error whatever their length.

    With n segments each is wrong with probability 1 - 0.5 ** (1 / n). Without it a threshold that suits single
    sentences flags most long answers, for each of their segments is one more chance of a false alarm.
    """
    wrong = 1.0 - 0.5 ** (1.0 / max(1, min(segments, LONGEST)))
    return math.log((1.0 - wrong) / wrong)


@dataclass(frozen=True, slots=True)
class Scorer:
    """Weights per signal, an intercept, and how much the prior of the answer's length counts."""

    weights: tuple[float, ...]
    intercept: float
    length: float

    def __call__(self, signals: Signals, segments: int = 1) -> float:
        """P(supported), 0..1, of one of an answer's ``segments``."""
        total = self.intercept + self.length * answer_prior(segments)
        total += sum(w * s for w, s in zip(self.weights, signals, strict=True))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def log_odds(probability: float) -> float:
    """Log-odds of a probability, clipped to +-6."""
    clipped = min(max(probability, 0.0025), 0.9975)
    return math.log(clipped / (1.0 - clipped))


@lru_cache(maxsize=8)
def load_scorer(file: Path = MODEL_FOLDER / ALONE) -> Scorer:
    """The scorer in that file.

    Raises:
        ConfigurationError: it was fitted for another version.
    """
    raw = json.loads(file.read_text(encoding="utf-8"))
    known = list(SIGNS)
    if raw["signals"] not in (known, known[:-1]):  # the last one is new: without it there is no second model
        raise ConfigurationError(
            f"{str(file)!r} was fitted for other signals: {', '.join(raw['signals'])}. "
            "Run training.fit again, or install weights for this version."
        )
    weights = (*raw["weights"], 0.0)[: len(known)]
    return Scorer(weights, raw["intercept"], raw["length"])
