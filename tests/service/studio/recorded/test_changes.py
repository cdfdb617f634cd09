"""What changed between two releases."""

from __future__ import annotations

import pytest

from guardrail.service.studio.recorded.changes import Compared
from guardrail.service.studio.recorded.chosen import FieldError
from guardrail.service.studio.recorded.tally import tally
from guardrail.telemetry.records import RecordStore
from tests.service.studio.recorded.conftest import asked, release


def compared(source, key, query=None):
    return Compared(asked(source, tally, query), key)


def test_what_changed_between_two_releases(kept):
    source = kept(
        *release("contradicted", 2, "v1", topic="a"), *release("supported", 38, "v1", topic="a"),
        *release("contradicted", 2, "v1", topic="b"), *release("supported", 38, "v1", topic="b"),
        *release("contradicted", 20, "v2", topic="a"), *release("supported", 20, "v2", topic="a"),
        *release("contradicted", 2, "v2", topic="b"), *release("supported", 38, "v2", topic="b"),
        *release("contradicted", 9, "v3", topic="b"),
    )  # fmt: skip
    found = compared(source, "release").changes("v1", "v2")
    assert found.whole.unfaithful.value == pytest.approx(22 / 80 - 4 / 80)
    assert found.whole.unfaithful.clear
    assert (found.slices[0].key, found.slices[0].value) == ("topic", "a")
    by = {(change.key, change.value): change for change in found.slices}
    assert by["topic", "a"].unfaithful.value == pytest.approx(0.45)
    assert by["topic", "a"].first.unfaithful.n == 40
    assert not by["topic", "b"].unfaithful.clear
    assert by["engine", "local"].second.records == 80
    assert not any(key == "release" for key, _ in by)
    assert found.compared == len(found.slices) == 5
    assert [value.value for value in compared(source, "release").values()] == ["v1", "v2", "v3"]


def test_a_slice_that_one_release_lacks_has_no_change(kept):
    source = kept(*release("supported", 3, "v1", topic="a"), *release("contradicted", 3, "v2", topic="b"))
    by = {(c.key, c.value): c for c in compared(source, "release").changes("v1", "v2").slices}
    assert by["topic", "b"].unfaithful.value is None
    assert by["topic", "b"].first.records == 0


def test_changes_need_a_label_and_two_values(kept):
    source = kept(("supported", {}))
    for by, first, second in (("colour", "a", "b"), ("release", "v1", "v1")):
        with pytest.raises(FieldError):
            compared(source, by).changes(first, second)


def test_what_counts_in_no_rate_is_no_change(kept):
    source = kept(
        *release("contradicted", 3, "v2"), *release("supported", 3, "v1"),
        ("contradicted", {"action": "abandoned", "labels": {"release": "v2"}}),
    )  # fmt: skip
    assert compared(source, "release").changes("v1", "v2").whole.second.records == 3
    RecordStore(source.path, days=None).prune(max_records=5)  # of those before it nobody knows how many there were
    assert [(value.value, value.records) for value in compared(source, "release").values()] == [("v1", 1)]
