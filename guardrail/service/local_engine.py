"""The local engine as guards of the service hold it: its reading is done by processes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from guardrail.check.contract import AsyncEngine, Engine, PartialRows, VerifyRequest
from guardrail.engines.cascade import CascadeEngine
from guardrail.engines.local.engine import LocalEngine
from guardrail.service.processes import Processes
from guardrail.types import Row, SupportMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalInProcesses(LocalEngine):
    """The same engine, with the same identity; nothing is loaded in this process.

    Attributes:
        processes: Where it reads.
    """

    processes: Processes = field(repr=False)

    def warm_up(self) -> None:
        """Return when one process has loaded the model.

        Raises:
            EngineError: the service ends.
        """
        self.processes.wait_until_up()

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        return self.processes.verify(request)

    def read_part(self, request: VerifyRequest) -> PartialRows:
        """See IncrementalEngine.read_part."""
        own, by_count = self.processes.read_part(request)

        def rows(count: int) -> tuple[Row, ...]:
            return by_count[min(max(count, 0), len(by_count) - 1)]

        return PartialRows(own=own, rows=rows)


def in_processes(engine: Engine | AsyncEngine, processes: Processes | None) -> Engine | AsyncEngine:
    """The engine with its local part, if it has one, in these processes; None = as it is.

    A local engine with settings of its own (a model's folder, threads) stays as it is: the processes do not have them.
    """
    if processes is None:
        return engine
    if _is_standard(engine):
        return LocalInProcesses(processes=processes)
    if isinstance(engine, CascadeEngine) and _is_standard(engine.first):
        return replace(engine, first=LocalInProcesses(processes=processes))
    return engine


def _is_standard(engine: Engine | AsyncEngine) -> bool:
    return type(engine) is LocalEngine and engine == LocalEngine()
