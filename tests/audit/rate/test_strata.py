"""Answers in strata, by the engine's verdict and score."""

import pytest

from guardrail.audit.rate.strata import Cell, strata_of

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_small_strata_are_joined_with_their_neighbours():
    cells = [Cell("supported", 4, 900, 0, 0.02), Cell("unsupported", 0, 5, 5, 0.9), Cell("unsupported", 1, 60, 60, 0.7),
             Cell("supported", 2, 35, 0, 0.4), Cell("abstained", 4, 10, 0, 0.0)]  # fmt: skip
    assert len(strata_of(cells, 1000)) == 5
    names = [stratum.name for stratum in strata_of(cells, 75)]
    assert names == ["unsupported 0–0.5", "supported 0.5–0.8", "supported 0.95–1, abstained 0.95–1"]
    assert [s.answers for s in strata_of(cells, 10)] == [1010]
    assert strata_of([], 10) == []
    middle = [Cell("unsupported", 1, 60, 60, 0.7), Cell("supported", 2, 5, 0, 0.1), Cell("supported", 4, 900, 0, 0.02)]
    assert [s.name for s in strata_of(middle, 50)] == ["unsupported 0.2–0.5", "supported 0.5–1"]  # the likelier one
