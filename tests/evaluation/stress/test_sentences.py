"""One sentence made wrong or reworded: exact expectations, and nothing where a rule is not sure."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.evaluation.stress import right_versions, wrong_versions
from guardrail.evaluation.stress.sentences import changes
from guardrail.types import ErrorType

OTHERS = ["Mara Quist won the prize in 1988.", "The bridge is long."]


def wrong(sentence, others=OTHERS):
    """All (type, text) pairs over several draws."""
    return {
        (kind.value, text)
        for seed in range(12)
        for kind, text in wrong_versions(sentence, random.Random(seed), others=others)
    }


def right(sentence):
    return {text for seed in range(12) for text in right_versions(sentence, random.Random(seed))}


WRONG = [
    ("entity_inversion", "Naomi Teller beat Hana Brix in Porto.", "Hana Brix beat Naomi Teller in Porto."),
    (
        "entity_inversion",
        "Mara Quist designed the bridge, while Leo Brandt painted the hall.",
        "Leo Brandt designed the bridge, while Mara Quist painted the hall.",
    ),
    (
        "entity_inversion",
        "A day ticket costs 6 euros, while a monthly card costs 40 euros.",
        "A day ticket costs 40 euros, while a monthly card costs 6 euros.",
    ),
    (
        "conflation",
        "Mara Quist designed the bridge, while Leo Brandt painted the hall.",
        "Both Mara Quist and Leo Brandt designed the bridge.",
    ),
    ("conflation", "Naomi Teller beat Hana Brix in Porto.", "Naomi Teller won the prize in 1988."),
    ("conceptual_substitution", "The landlord pays the water bill.", "The tenant pays the water bill."),
    ("conceptual_substitution", "A novel won the award.", "A poem won the award."),
    ("conceptual_substitution", "The firm hired an engineer.", "The firm hired an architect."),
    ("overgeneralization", "Some members voted against the plan.", "All members voted against the plan."),
    ("overgeneralization", "Two of the seven wells are dry.", "All of the seven wells are dry."),
    ("overgeneralization", "The fog usually lifts by noon.", "The fog always lifts by noon."),
    ("overgeneralization", "The drug may cause headaches.", "The drug will cause headaches."),
    (
        "overgeneralization",
        "Every room must be cleaned daily unless it is empty.",
        "Every room must always be cleaned daily.",
    ),
    (
        "causal_confusion",
        "The canal closed because the railway took the grain trade.",
        "The railway took the grain trade because the canal closed.",
    ),
    (
        "causal_confusion",
        "The pump failed because it was old.",
        "The pump was old because it failed.",
    ),
    (
        "causal_confusion",
        "The tower still stands although the council sold the land.",
        "The tower still stands because the council sold the land.",
    ),
    (
        "sufficient_necessary",
        "The deposit is refunded if the tenant leaves the flat clean.",
        "The deposit is refunded only if the tenant leaves the flat clean.",
    ),
    (
        "sufficient_necessary",
        "Debit cards are accepted only if the customer buys the cover.",
        "Debit cards are accepted whenever the customer buys the cover.",
    ),
    (
        "inclusion_relation",
        "All lenses are free except the macro lens.",
        "All lenses are free, including the macro lens.",
    ),
    ("inclusion_relation", "The ticket does not include the museum.", "The ticket includes the museum."),
    ("other_logic", "The choir sang before the mayor arrived.", "The choir sang after the mayor arrived."),
    ("other_logic", "The firm used steel instead of timber.", "The firm used steel in addition to timber."),
    ("other_logic", "The fee is due unless the guest cancels.", "The fee is due if the guest cancels."),
    ("contradiction", "The bridge was built in iron.", "The bridge was not built in iron."),
    ("contradiction", "Dogs are not allowed on the beach.", "Dogs are allowed on the beach."),
    ("contradiction", "The second room is larger.", "The second room is smaller."),
    ("causal_confusion", "因为桥面结冰，所以渡船停航。", "因为渡船停航，所以桥面结冰。"),
    ("sufficient_necessary", "只要按下按钮就能开门取货。", "只有按下按钮才能开门取货。"),
    ("overgeneralization", "有些居民反对这项计划。", "所有居民反对这项计划。"),
    (
        "entity_inversion",
        "成人票每张40元，儿童和老人的票每张15元。",
        "成人票每张15元，儿童和老人的票每张40元。",
    ),
    (
        "inclusion_relation",
        "All seats, including the balcony, cost the same.",
        "All seats, except the balcony, cost the same.",
    ),
    ("contradiction", "展厅内禁止拍照和录像。", "展厅内允许拍照和录像。"),
]


@pytest.mark.parametrize(("kind", "sentence", "expected"), WRONG)
def test_each_type(kind, sentence, expected):
    assert (kind, expected) in wrong(sentence)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("entity_inversion", "Naomi Teller met Hana Brix in Porto."),  # meeting is mutual
        ("entity_inversion", "It is heavier than expected."),
        ("contradiction", "More people than 50 came."),  # 80 may have come too
        ("causal_confusion", "The pump failed because of the frost."),
        ("causal_confusion", "She left because her car, which was old, broke down there."),
        ("sufficient_necessary", "They asked if the road was open."),
        ("sufficient_necessary", "He left even if the road was closed."),
        ("other_logic", "She was named after her aunt."),
        ("other_logic", "He was looked after by a nurse."),
        ("overgeneralization", "It is the most expensive hotel in town."),
        ("inclusion_relation", "The offer is valid but not on Sundays."),
        ("conflation", "The bridge is long."),
        ("overgeneralization", "内地的大部分设备已经更换。"),
    ],
)
def test_nothing_where_it_is_not_sure(kind, sentence):
    assert kind not in {found for found, _ in wrong(sentence)}


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


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The canal closed because the railway took the trade.",
            "Because the railway took the trade, the canal closed.",
        ),
        ("The canal closed because the railway took the trade.", "The railway took the trade, so the canal closed."),
        ("The tower stands although the council sold it.", "Although the council sold it, the tower stands."),
        ("The well was dry, so the farmers left the valley.", "Because the well was dry, the farmers left the valley."),
        ("The court has three judges.", "The court has 3 judges."),
        ("The pool, a gift of the town, is heated (by gas).", "The pool, a gift of the town, is heated."),
        ("虽然票价上涨，但客流没有减少。", "尽管票价上涨，但客流没有减少。"),
    ],
)
def test_rewording_keeps_the_meaning(sentence, expected):
    assert expected in right(sentence)


def test_the_same_seed_gives_the_same_versions():
    sentence = "The tower has 84 steps, and some visitors usually stop before the top."
    first = wrong_versions(sentence, random.Random(5), others=OTHERS)
    assert first == wrong_versions(sentence, random.Random(5), others=OTHERS)
    assert first != wrong_versions(sentence, random.Random(6), others=OTHERS)


def test_a_new_number_is_none_of_the_passages():
    others = [f"Stair {number} was mended." for number in range(2, 160) if number != 59]
    for seed in range(40):
        for kind, text in wrong_versions("The tower has 84 steps.", random.Random(seed), others=others):
            if kind is ErrorType.CONTRADICTION:
                assert not any(f" {number} " in text for number in range(2, 160) if number != 59)


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
