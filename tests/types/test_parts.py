"""Spans and usage: the parts that can do something."""

from __future__ import annotations

from guardrail import Span, Usage


def test_spans_that_only_touch_have_nothing_in_common() -> None:
    assert Span(0, 4).of("abcdef") == "abcd"
    assert Span(0, 4).overlaps(Span(3, 6))
    assert not Span(0, 4).overlaps(Span(4, 6))


def test_usage_adds_up_and_a_cost_that_is_not_known_counts_as_nothing() -> None:
    both = Usage(calls=1, input_tokens=5, cost=0.5) + Usage(calls=2, cache_hits=3)
    assert both == Usage(calls=3, input_tokens=5, cache_hits=3, cost=0.5)
    assert (Usage() + Usage()).cost is None
