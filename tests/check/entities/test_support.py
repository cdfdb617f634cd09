"""How much of a segment an entity's passages support."""

from __future__ import annotations

from guardrail.check.entities import cluster
from guardrail.check.entities.namesakes import namesake_groups
from guardrail.check.entities.support import Support
from guardrail.types import Cell, Row, SupportMatrix
from tests.support.namesakes import HANLEYS, pieces


def test_words_and_cells() -> None:
    """Rare words decide where no cell was read; a read cell counts half."""
    _, segments = pieces("Dick Hanley won silver at Melbourne in 1956.")
    entities = cluster(HANLEYS)
    (family,) = namesake_groups(entities)
    coach, swimmer = entities
    words = Support(SupportMatrix(rows=()), segments, HANLEYS)
    assert words.of("s0", swimmer, family) == 1.0
    assert words.of("s0", coach, family) < 0.2
    assert words.reads("s0", swimmer) is None
    only, gain = words.against("s0", coach, swimmer, family)
    assert 0.5 < gain <= only <= 1.0
    cells = (Cell(supported=0.9, contradicted=0.0), Cell(supported=0.2, contradicted=0.0))
    read = Support(SupportMatrix(rows=(Row(segment_id="s0", cells=cells),)), segments, HANLEYS)
    assert read.of("s0", swimmer, family) == 0.6
    assert (read.reads("s0", coach), read.reads("s0", swimmer)) == (True, False)
    assert read.text("none") == ""
