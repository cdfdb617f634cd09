"""A record, with what people have said of it."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("said", "whole", "spans"),
    [
        ({"a": "supported"}, None, []),
        ({"a": "supported", "b": "supported"}, "supported", []),
        ({"b": "unsupported"}, "unsupported", [(3, 5)]),
        ({"a": "contradicted", "b": "unsupported"}, "contradicted", [(0, 2), (3, 5)]),
        ({"a": "contradicted", None: "supported"}, "supported", []),
        ({"a": "contradicted", None: "unsupported"}, "unsupported", [(0, 2)]),
    ],
)
def test_labels_of_findings_make_one_of_the_answer(store, record, said, whole, spans):
    for finding, label in said.items():
        done = store.label(record, label, finding)
    assert done.human_label == whole
    assert list(done.human_error_spans) == spans
