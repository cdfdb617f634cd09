"""Opinions side by side, and the work that brings them together."""

from __future__ import annotations

import pytest

from guardrail.service.studio.recorded.comparison import Comparison, Row, says


def opinion(verdict, score=0.5, action="allow"):
    return {"verdict": verdict, "score": score, "action": action}


def compared(*rows):
    found = Comparison(names=tuple("abc"[: len(rows[0])]))
    found.rows.extend(Row(row) for row in rows)
    return found


def test_table_pairs_and_order():
    same = (opinion("supported", 0.9), opinion("supported", 0.8))
    first = (opinion("contradicted", 0.1, "block"), opinion("supported", 0.7))
    acts = (opinion("unsupported", 0.2, "flag"), opinion("unsupported", 0.2, "block"))
    apart = (opinion("supported", 0.9), opinion("supported", 0.6))
    unsure = (opinion("unverified", 0.0), opinion("contradicted", 0.1, "block"))
    gone = (None, opinion("abstained", 1.0))
    found = compared(same, gone, apart, unsure, acts, first)
    assert found.sorted_rows()[:3] == [5, 3, 4]
    a, b = found.sides()
    assert (a.unfaithful.value, a.unfaithful.n, a.left_out) == (2 / 4, 4, 2)
    assert (b.unfaithful.value, b.unfaithful.n, b.left_out) == (2 / 5, 5, 1)
    by_verdict, by_action = (pair.paired for pair in found.pairs())
    assert (by_verdict.n, by_verdict.both, by_verdict.only_first, by_verdict.only_second) == (4, 1, 1, 0)
    assert (by_action.n, by_action.only_first, by_action.only_second) == (5, 1, 2)


def test_three_sides_are_three_pairs_in_each_measure():
    pairs = compared((opinion("supported"), opinion("supported"), opinion("contradicted"))).pairs()
    assert [(p.first, p.second, p.measure) for p in pairs] == [
        (first, second, measure) for first, second in ((0, 1), (0, 2), (1, 2)) for measure in ("unfaithful", "acted")
    ]


@pytest.mark.parametrize(("action", "acted"), [("allow", False), ("flag", False), ("redact", True), ("none", None)])
def test_what_counts_as_acted(action, acted):
    assert says(opinion("contradicted", action=action), "acted") is acted
