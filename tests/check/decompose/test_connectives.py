"""Connectives keep both sides of a relation together."""

import pytest

from guardrail.check.decompose import decompose
from guardrail.types import RelationKind
from tests.support.decomposed import texts


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The bank failed.", "Consequently, savers lost money."),
        ("The bank failed.", "As a result, savers lost money."),
        ("The bank failed.", "Because of this, savers lost money."),
        ("The bank failed.", "This led to losses."),
        ("Pay in time.", "Otherwise, the contract ends."),
        ("The bank failed.", "However, savers lost nothing."),
        ("The bank failed.", "After that, savers left."),
        ("Many banks failed.", "For example, Northern Bank closed."),
    ],
)
def test_connective_keeps_both_sides_together(first, second):
    """A sentence that a connective ties to the one before stays with it."""
    assert texts(f"{first} {second} The sky is blue.") == [f"{first} {second}", "The sky is blue."]


@pytest.mark.parametrize("connective", ["因此", "所以", "于是", "然而", "但是", "否则", "因为这个"])
def test_chinese_connective_keeps_both_sides_together(connective):
    """The same in Chinese, without a space between the two."""
    assert texts(f"银行倒闭了。{connective}储户损失了钱。天空是蓝色的。") == [
        f"银行倒闭了。{connective}储户损失了钱。",
        "天空是蓝色的。",
    ]


def test_merged_segment_holds_its_relation():
    """The relation across the full stop is found, with both sides."""
    relation = decompose("The bank failed. Therefore, savers lost money.").segments[0].relations[0]
    assert relation.kind is RelationKind.CAUSE
    assert "bank failed" in relation.first
    assert "savers lost money" in relation.second


def test_merged_segments_are_limited():
    """At most three sentences for consequences, two for contrasts, and 600 characters."""
    assert [t.count(".") for t in texts("A one is. " + "Therefore, it goes. " * 5)] == [3, 3]
    assert [t.count(".") for t in texts("A one is. " + "However, it goes. " * 3)] == [2, 2]
    long = "The bank " + "very " * 120 + "surely failed."
    assert len(texts(f"{long} Therefore, savers lost money.")) == 2


def test_connectives_do_not_cross_blocks():
    """A new paragraph or item starts a new segment."""
    assert len(texts("The bank failed.\n\nTherefore, savers lost money.")) == 2
    assert len(texts("- The bank failed.\n- Therefore, savers lost money.")) == 2
