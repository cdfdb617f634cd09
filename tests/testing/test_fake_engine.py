"""The scripted engine."""

from __future__ import annotations

import pytest

from guardrail.testing import FakeEngine


def test_the_fake_engine_says_what_it_is_told():
    """By the first key that fits; it records its calls and refuses words that are no verdict of a segment."""
    from guardrail import Guard

    engine = FakeEngine({"high": "contradicted", "dam": "unsupported", "lake": "unverified"}, seconds=0.01)
    report = Guard(engine=engine).check("The dam is high. The dam is old. A lake lies there. Bees dance.", ["x"])
    assert [f.verdict.value for f in report.findings] == ["contradicted", "unsupported", "unverified", "supported"]
    assert [len(call.segments) for call in engine.calls] == [4]
    assert report.seconds >= 0.01
    for wrong in ("true", "abstained"):
        with pytest.raises(ValueError, match=wrong):
            FakeEngine({"x": wrong})
