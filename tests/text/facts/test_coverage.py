"""Shares of a claim by sentence."""

from __future__ import annotations

from guardrail.text.facts import extract
from guardrail.text.facts.coverage import Coverage

SENTENCES = [extract(text) for text in ("The ferry carries cars.", "The ferry sleeps.", "The ferry is blue.", "Rain.")]


def test_rare_words_weigh_more() -> None:
    ferry, cars = extract("ferry").bag, extract("cars").bag
    shares = Coverage(ferry | cars, SENTENCES).shares
    assert shares[0] == 1.0
    assert 0.0 < shares[1] < 0.5
    assert shares[3] == 0.0


def test_nothing_wanted_or_nothing_to_read() -> None:
    assert Coverage(frozenset(), SENTENCES).shares == [0.0] * 4
    assert Coverage(extract("ferry").bag, []).shares == []
