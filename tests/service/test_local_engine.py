"""The local engine of guards, with processes that read for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from guardrail.engines.cascade import CascadeEngine
from guardrail.engines.local.engine import LocalEngine
from guardrail.errors import EngineError
from guardrail.policy.calibration import engine_identity
from guardrail.service.local_engine import LocalInProcesses, in_processes
from guardrail.service.measures import Measures
from guardrail.service.processes import Processes
from guardrail.testing import FakeEngine


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Processes that were not started."""
    one = Processes(LocalEngine(threads=1), 2, 600.0, Measures())
    yield one
    one.close()


def test_the_first_of_a_cascade_reads_there_and_other_engines_stay(processes):
    cascade = in_processes(CascadeEngine(first=LocalEngine(), second=FakeEngine()), processes)
    assert isinstance(cascade.first, LocalInProcesses)
    assert cascade.identity == CascadeEngine(first=LocalEngine(), second=FakeEngine()).identity
    fake = FakeEngine()
    assert in_processes(fake, processes) is fake
    assert type(in_processes(LocalEngine(), None)) is LocalEngine


@pytest.mark.parametrize("engine", [LocalEngine(folder=Path("a_model_of_ours")), LocalEngine(threads=1)])
def test_an_engine_with_settings_of_its_own_keeps_them(processes, engine):
    assert in_processes(engine, processes) is engine
    cascade = CascadeEngine(first=engine, second=FakeEngine())
    assert in_processes(cascade, processes) is cascade


def test_without_processes_every_engine_stays_as_it_is() -> None:
    for engine in (LocalEngine(), FakeEngine(), CascadeEngine(first=LocalEngine(), second=FakeEngine())):
        assert in_processes(engine, None) is engine


def test_it_is_the_same_engine_to_whoever_compares_verdicts(processes: Processes) -> None:
    moved = LocalInProcesses(processes=processes)
    assert engine_identity(moved) == engine_identity(LocalEngine())


def test_after_the_end_of_the_processes_nobody_waits_for_them(processes: Processes) -> None:
    processes.close()
    with pytest.raises(EngineError, match="ends"):
        LocalInProcesses(processes=processes).warm_up()
