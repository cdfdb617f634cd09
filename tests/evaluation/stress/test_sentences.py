"""One sentence made wrong or reworded: exact expectations, and nothing where a rule is not sure."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.evaluation.stress import right_versions, wrong_versions
from guardrail.evaluation.stress.sentences import changes
from tests.support.stress_versions import OTHERS, right, wrong


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Yes.",
        "Is the bridge open on Sundays?",
        "| a | b | c | d |",
        "Nora: No, never on Sundays, I think.",
        "是吗？",
        "问：能吗？",
    ],
)
def test_what_is_no_statement_is_left_alone(text):
    assert wrong(text) == set()
    assert right(text) == set()


def test_what_the_passages_state_is_never_offered():
    """The exchanged comparison is itself in the passages: then it is no error."""
    sentence, other = "Naomi Teller beat Hana Brix in Porto.", "Hana Brix beat Naomi Teller in Porto."
    assert other in {text for _, text in wrong(sentence)}
    assert other not in {text for _, text in wrong(sentence, [other])}


def test_the_same_seed_gives_the_same_versions():
    sentence = "The tower has 84 steps, and some visitors usually stop before the top."
    first = wrong_versions(sentence, random.Random(5), others=OTHERS)
    assert first == wrong_versions(sentence, random.Random(5), others=OTHERS)
    assert first != wrong_versions(sentence, random.Random(6), others=OTHERS)


def test_it_takes_few_steps():
    """Training draws versions by the million."""
    sentence = (
        "The Lumen Trail 300 weighs 98 g and runs for three hours at full power, while the Nighthawk weighs 64 g, "
        "because its battery may fail if some of the cells are cold, except in summer."
    )
    others = [f"The Nighthawk number {n} was sold in 19{n}." for n in range(10, 22)]
    wrong_versions(sentence, random.Random(0), others=others)
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        wrong_versions(sentence, random.Random(1), others=others)
    finally:
        sys.setprofile(None)
    assert 100 < calls < 10_000


PIECES = st.sampled_from(
    "The a of A is are was larger than because if only so , . ; ( ) 3 1,200 2019 £5 all some except but not may both and "
    "either or neither nor unless before after Ann Bob Lee most wells rose including 因为 所以 虽然 但 ， 。 前者 后者 3天 5% İ".split()
)


@given(
    st.lists(PIECES, max_size=40).map(" ".join) | st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=200),
    st.integers(0, 9),
)
@settings(max_examples=300, deadline=None)
def test_any_text_is_survived_and_spans_slice_right(text, seed):
    for sentence in (text, f"{text}.", f"The {text}。"):
        for change in changes(sentence, random.Random(seed), others=[text[::-1], "Ann Lee won the cup."]):
            assert change.text != sentence
            assert change.spans
            for span in change.spans:
                assert 0 <= span.start < span.end <= len(change.text)
                assert span.of(change.text) == span.of(change.text).strip(" ,，")
        for version in right_versions(sentence, random.Random(seed)):
            assert version.strip()
            assert version != sentence
