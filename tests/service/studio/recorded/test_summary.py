"""What a list shows of a record."""

from __future__ import annotations

import json

from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.listing import list_records
from tests.service.studio.recorded.conftest import NOW


def listed(source, query=None, **how):
    with source.open() as connection:
        return list_records(source, connection, read_chosen(query or {}, NOW), NOW, **how)


def test_what_a_list_shows(kept):
    (shown,) = listed(kept(("contradicted", {"trace_id": "b" * 32}))).records
    assert shown["fault"] == {
        "before": "Divers found a crack ",
        "words": "because engineers had lowered the reservoir",
        "after": ".",
        "verdict": "contradicted",
        "error_type": "causal_confusion",
        "reason": "The segment makes the lowering of the reservoir the cause; in the evidence it is the effect.",
    }
    assert (shown["question"], shown["trace_id"]) == ("Why was Larkmoor Dam closed in 2021?", "b" * 32)
    assert "passages" not in shown
    assert len(json.dumps(shown)) < 1500
