"""An answer to write scores of."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail import Guard, GuardedAnswer, Policy
from guardrail.testing import FakeEngine
from tests.support.dialect_server import RIGHT, SOURCE, VERDICTS, WRONG


def guarded(answer: str = f"{RIGHT} {WRONG}", passages: Sequence[str] = (SOURCE, "Bread is baked.")) -> GuardedAnswer:
    """A right and a wrong sentence, unless others are given."""
    return Guard(policy=Policy.load("monitor"), engine=FakeEngine(VERDICTS)).run(answer, passages)
