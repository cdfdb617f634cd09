"""From signals to a probability: a small calibrated logistic model whose weights can only point the sensible way.

Fitted by ``training/fit.py`` on records that the cross-encoder never saw; the weights are data (``model/scorer.json``).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from guardrail.local.model import MODEL_FOLDER

SIGNS = {
    "window_support": 1,
    "joint_support": 1,
    "window_contradiction": -1,
    "joint_contradiction": -1,
    "coverage_some": 1,
    "coverage_most": 1,
    "coverage_full": 1,
    "coverage_all": 1,
    "missing_numbers": -1,
    "missing_names": -1,
    "negation": -1,
    "refuted": -1,
}
"""Signal names in order and the direction each may push P(supported)."""


class Signals(NamedTuple):
    """What is known of one segment against some evidence; the fields are those of SIGNS.

    ``*_support`` and ``*_contradiction`` are log-odds (clipped to +-6). The coverage of the best view is cut into
    three ranges, each 0..1 (up to 50 %, to 85 %, to 100 % of the words), for its effect is not linear. The gate's
    fields are the greatest weight of a mismatch of that kind (0..1).
    """

    window_support: float
    joint_support: float
    window_contradiction: float
    joint_contradiction: float
    coverage_some: float
    coverage_most: float
    coverage_full: float
    coverage_all: float
    missing_numbers: float
    missing_names: float
    negation: float
    refuted: float


_RANGES = ((0.0, 0.5), (0.5, 0.85), (0.85, 1.0))


def coverage_ranges(coverage: float) -> tuple[float, float, float]:
    """The three coverage signals of a coverage (0..1)."""
    some, most, full = (min(max((coverage - low) / (high - low), 0.0), 1.0) for low, high in _RANGES)
    return some, most, full


@dataclass(frozen=True, slots=True)
class Scorer:
    """Weights per signal and an intercept."""

    weights: tuple[float, ...]
    intercept: float

    def __call__(self, signals: Signals) -> float:
        """P(supported), 0..1."""
        total = self.intercept + sum(w * s for w, s in zip(self.weights, signals, strict=True))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def log_odds(probability: float) -> float:
    """Log-odds of a probability, clipped to +-6."""
    clipped = min(max(probability, 0.0025), 0.9975)
    return math.log(clipped / (1.0 - clipped))


@lru_cache(maxsize=8)
def load_scorer(folder: Path = MODEL_FOLDER) -> Scorer:
    """The scorer that belongs to the model in that folder."""
    raw = json.loads((folder / "scorer.json").read_text(encoding="utf-8"))
    if raw["signals"] != list(SIGNS):
        raise ValueError(
            f"{folder / 'scorer.json'} was fitted for other signals {raw['signals']}. Run training.fit again."
        )
    return Scorer(tuple(raw["weights"]), raw["intercept"])
