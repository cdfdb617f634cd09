"""Records counted in one pass."""

from __future__ import annotations

from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.kept import KEPT
from guardrail.service.studio.recorded.tally import tally, tally_of
from guardrail.telemetry.records import RecordStore
from tests.service.studio.recorded.conftest import NOW, asked, release


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


def test_what_is_alike_is_counted_together_and_the_rest_apart(kept):
    source = kept(
        *release("contradicted", 2, "v1"), *release("contradicted", 3, "v2"), *release("supported", 4, "v1"),
        ("contradicted", {"labels": {"release": "v1"}, "policy": "strict"}),
    )  # fmt: skip
    counted = {
        (alike.labels["release"], alike.labels["policy"], alike.part.verdict): alike for alike in asked(source, tally)
    }
    assert {key: alike.part.weighed.records for key, alike in counted.items()} == {
        ("v1", "monitor", "contradicted"): 2,
        ("v2", "monitor", "contradicted"): 3,
        ("v1", "monitor", "supported"): 4,
        ("v1", "strict", "contradicted"): 1,
    }
    assert counted["v1", "monitor", "contradicted"].error_types == ("causal_confusion",)
    assert counted["v1", "monitor", "supported"].error_types == ()
    assert [alike.part.weighed.records for alike in asked(source, tally, {"release": "v2"})] == [3]


def test_what_is_no_answer_is_counted_and_not_rated(kept, file):
    source = kept(("contradicted", {"action": "abandoned"}), ("supported", {}))
    assert sorted((alike.part.action, alike.rated) for alike in asked(source, tally)) == [
        ("abandoned", False),
        ("allow", True),
    ]
    unchecked = file('{"answer": "It is so.", "passages": ["It is so."]}')
    assert [(alike.part.verdict, alike.rated) for alike in asked(unchecked, tally)] == [("unchecked", False)]
