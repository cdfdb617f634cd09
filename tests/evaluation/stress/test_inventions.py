"""A remark that no passage gives."""

from __future__ import annotations

import random
import re

from guardrail.evaluation.stress.sentences import changes
from guardrail.types import ErrorType


def test_the_sentence_stays_and_the_remark_is_the_wrong_part():
    sentence = "The town library was built in 1931."
    for seed in range(20):
        (change,) = [c for c in changes(sentence, random.Random(seed), others=[]) if c.kind is ErrorType.HALLUCINATION]
        (span,) = change.spans
        assert change.text.startswith(sentence[:-1])
        assert change.text == f"{sentence[:-1]}, {span.of(change.text)}."
        assert change.rule == "added_remark"


def test_years_are_later_than_those_of_the_passages():
    for seed in range(40):
        for change in changes("The mill burned in 1999.", random.Random(seed), others=["It opened again in 2003."]):
            if change.kind is ErrorType.HALLUCINATION:
                assert all(int(year) > 2003 for year in re.findall(r"\d{4}", change.spans[0].of(change.text)))
