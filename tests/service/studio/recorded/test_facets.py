"""What the filters of a list can be set to."""

from __future__ import annotations

from guardrail.service.studio.recorded.facets import facets
from guardrail.service.studio.recorded.tally import tally
from tests.service.studio.recorded.conftest import NOW, asked, release


def test_filters_to_choose_from(kept):
    source = kept(*release("contradicted", 2, "v1"), *release("supported", 3, "v2"))
    found = asked(source, facets, {}, asked(source, tally))
    assert found.values["release"] == (("v2", 3), ("v1", 2))
    assert found.values["verdict"] == (("supported", 3), ("contradicted", 2))
    assert found.values["error_type"] == (("causal_confusion", 2),)
    assert (found.records, found.labelled, found.since) == (5, 0, NOW - 999)
    assert "model" not in found.values
