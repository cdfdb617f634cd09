"""Records counted in one pass."""

from __future__ import annotations

from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.kept import KEPT
from guardrail.service.studio.recorded.tally import tally_of
from guardrail.telemetry.records import RecordStore
from tests.service.studio.recorded.conftest import NOW, release


def test_tallies_are_kept_until_something_changes_and_not_for_ever(kept):
    source = kept(*release("contradicted", 2, "v1"), *release("supported", 3, "v2"))

    def counted(query=None):
        with source.open() as connection:
            return tally_of(source, connection, read_chosen(query or {}, NOW), NOW)

    before, filtered = counted(), counted({"release": "v1"})
    assert sum(alike.part.weighed.records for alike in filtered) == 2
    assert counted() is before
    RecordStore(source.path, days=None).label(f"{1:032x}", "supported")
    assert counted() is not before
    assert sum(alike.labelled for alike in counted()) == 1
    last = counted({"release": "v1"})
    for number in range(KEPT):
        counted({"since": str(number + 1)})
    assert counted({"release": "v1"}) is not last
