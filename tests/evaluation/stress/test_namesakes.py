"""Facts of two namesakes told of one."""

from __future__ import annotations

from guardrail.evaluation.stress import inject
from guardrail.types import ErrorType
from tests.support.stress_corpus import LIBRARY, MILL, SWIMMER


def test_mixed_entities_join_two_bearers_of_a_name(answers):
    mixed = [answer for answer in answers if answer.error_type is ErrorType.MIXED_ENTITIES]
    assert mixed
    for answer in mixed:
        assert answer.mixed is True
        assert {passage.id for passage in answer.passages} == {"h1", "h2"}
        (span,) = answer.error_spans
        passages = {passage.id: passage.text for passage in answer.passages}
        begun = answer.answer[: span.start].strip()
        holders = [ident for ident, text in passages.items() if begun in text]
        assert len(holders) == 1
        assert span.of(answer.answer) not in passages[holders[0]]


def test_without_namesakes_there_are_no_mixed_entities():
    kinds = {answer.error_type for answer in inject([LIBRARY, MILL, SWIMMER], per_type=5)}
    assert ErrorType.MIXED_ENTITIES not in kinds
