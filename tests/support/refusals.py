"""A refusal that a passage belies, and an engine that is shown refusals."""

from __future__ import annotations

from dataclasses import dataclass

from guardrail import Passage
from guardrail.testing import FakeEngine

FEE = Passage(id="a", title="Fees", text="The fee is 40 euros.")
REFUSAL = "The documents do not mention the fee."


@dataclass(frozen=True)
class RefusalReader(FakeEngine):
    """A scripted engine that is shown refusals."""

    judges_refusals: bool = True


def refusal_reader(told: str = "contradicted", **options: bool) -> RefusalReader:
    """It makes ``told`` of the refusal, and supports everything else."""
    return RefusalReader(verdicts={REFUSAL: told}, **options)
