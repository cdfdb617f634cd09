"""A guard whose checks within a stream take their turn in the service's pool, like all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.check.drivers import Program, Work, arun, run
from guardrail.check.intake import PassageLike
from guardrail.guard import Guard
from guardrail.policy.policy import Policy
from guardrail.repair.generators import Generator
from guardrail.telemetry import Telemetry
from guardrail.types import GuardedAnswer, Passage, Report

if TYPE_CHECKING:
    from guardrail.service.service import Service


@dataclass(frozen=True, slots=True)
class PooledGuard:
    """What a stream needs of a guard (streaming.work.StreamGuard)."""

    guard: Guard
    service: Service
    passages: Sequence[Passage]

    @property
    def judge(self) -> Engine | AsyncEngine:
        """The guard's engine."""
        return self.guard.judge

    @property
    def retriever(self) -> object:
        """The guard's."""
        return self.guard.retriever

    @property
    def telemetry(self) -> Telemetry:
        """The guard's."""
        return self.guard.telemetry

    def policy_of_call(self, given: Policy | str | None) -> Policy:
        """See Guard."""
        return self.guard.policy_of_call(given)

    def checking(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        *,
        question: str | None,
        policy: Policy | str | None,
        engine: Engine | AsyncEngine | None,
    ) -> Program[Report]:
        """See Guard: the whole check as one piece of work."""
        options = {"question": question, "policy": policy, "engine": engine}
        program = partial(self.guard.checking, answer, passages, **options)  # type: ignore[arg-type]  # by their names

        async def in_turn() -> Report:
            turn = self.service.work(answer, self.passages)
            return await self.service.pool.do(self.guard.judge, turn, lambda _: run(program()), lambda: arun(program()))

        report: Report = yield Work(lambda: run(program()), in_turn)
        return report

    def repairing(
        self, report: Report, *, policy: Policy | str | None, regenerate: Generator | None, only_edit: bool
    ) -> Program[GuardedAnswer]:
        """See Guard."""
        return self.guard.repairing(report, policy=policy, regenerate=regenerate, only_edit=only_edit)
