"""Negating words and antonyms: opposite signs on the same words."""

import pytest

from guardrail.text.facts import FactKind, compare, extract
from guardrail.text.facts.polarity import read_cues
from guardrail.text.words import read_words


def test_cues_have_their_side_and_scope():
    text = "It will not open before noon."
    cues = read_cues(text, read_words(text))
    assert [(c.pair, c.span.of(text), c.negated) for c in cues] == [
        ("", "not", False),
        ("open/closed", "open", True),
        ("before/after", "before", True),
    ]


@pytest.mark.parametrize(
    ("claim", "evidence", "opposite"),
    [
        ("The shop is open on Mondays.", "The shop is closed on Mondays.", True),
        ("The shop is not closed on Mondays.", "The shop is open on Mondays.", False),
        ("Dogs are allowed in the park.", "Dogs are not allowed in the park.", True),
        ("公园不允许带狗。", "公园允许带狗。", True),
        ("Dogs are allowed in the park.", "Dogs are allowed in the park.", False),
        ("Dogs are allowed in the park.", "The mill is not red.", False),
    ],
)
def test_opposite_signs_are_found(claim, evidence, opposite):
    found = [m for m in compare(extract(claim), [extract(evidence)]) if m.kind is FactKind.NEGATION]
    assert bool(found) is opposite
