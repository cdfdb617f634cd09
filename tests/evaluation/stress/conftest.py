"""Answers made from the corpus, once for all tests of a file."""

from __future__ import annotations

import pytest

from guardrail.evaluation.stress import inject
from tests.support.stress_corpus import CORPUS


@pytest.fixture(scope="module")
def answers():
    return list(inject(CORPUS, seed=3, per_type=6))
