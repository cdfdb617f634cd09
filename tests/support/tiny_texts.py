"""Texts that the tiny cross-encoders of the tests read."""

from __future__ import annotations

NAMES = (
    "minicheck",
    "minicheck-deberta",
    "minicheck-t5",
    "factcg",
    "hhem",
    "alignscore",
    "lettucedetect",
    "nli",
    "nli2",
)


PASSAGE = "Larkmoor Dam was built between 1958 and 1963. It is 64 metres high."
