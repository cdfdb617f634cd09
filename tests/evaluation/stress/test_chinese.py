"""Chinese sentences made wrong, or reworded."""

from __future__ import annotations

import pytest

from tests.support.stress_versions import right, wrong


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("causal_confusion", "因为桥面结冰，所以渡船停航。", "因为渡船停航，所以桥面结冰。"),
        ("sufficient_necessary", "只要按下按钮就能开门取货。", "只有按下按钮才能开门取货。"),
        ("overgeneralization", "有些居民反对这项计划。", "所有居民反对这项计划。"),
        ("entity_inversion", "成人票每张40元，儿童和老人的票每张15元。", "成人票每张15元，儿童和老人的票每张40元。"),
        ("contradiction", "展厅内禁止拍照和录像。", "展厅内允许拍照和录像。"),
    ],
)
def test_what_is_made(kind, sentence, expected):
    assert (kind, expected) in wrong(sentence)


@pytest.mark.parametrize(("kind", "sentence"), [("overgeneralization", "内地的大部分设备已经更换。")])
def test_nothing_where_it_is_not_sure(kind, sentence):
    assert kind not in {found for found, _ in wrong(sentence)}


@pytest.mark.parametrize(
    ("sentence", "expected"), [("虽然票价上涨，但客流没有减少。", "尽管票价上涨，但客流没有减少。")]
)
def test_rewording_keeps_the_meaning(sentence, expected):
    assert expected in right(sentence)
