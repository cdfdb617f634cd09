"""Relations found in a text: kind, connective, both sides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.check.logic import check_logic, find_relations
from guardrail.check.logic.relations import MAX_RELATIONS, MAX_SIDE, MAX_TEXT
from guardrail.types import RelationKind

R = RelationKind

FOUND = [
    ("Sales fell because the price rose.", R.CAUSE, "because", "the price rose", "Sales fell"),
    ("Because the price rose, sales fell.", R.CAUSE, "Because", "the price rose", "sales fell"),
    ("Owing to the storm, the race was cancelled.", R.CAUSE, "Owing to", "the storm", "the race was cancelled"),
    ("The race was cancelled due to the storm.", R.CAUSE, "due to", "the storm", "The race was cancelled"),
    ("The crash was caused by a worn bearing.", R.CAUSE, "caused by", "a worn bearing", "The crash"),
    ("A worn bearing led to the crash.", R.CAUSE, "led to", "A worn bearing", "the crash"),
    ("Frost results in cracks.", R.CAUSE, "results in", "Frost", "cracks"),
    ("The price rose. Therefore, sales fell.", R.CAUSE, "Therefore", "The price rose", "sales fell"),
    ("The price rose; as a result, sales fell.", R.CAUSE, "as a result", "The price rose", "sales fell"),
    ("The price rose. Sales therefore fell.", R.CAUSE, "therefore", "The price rose", "Sales fell"),
    ("The heat test was enough for payment.", R.CONDITION, "was enough for", "The heat test", "payment"),
    ("The price rose, so sales fell.", R.CAUSE, "so", "The price rose", "sales fell"),
    ("因为下雨，比赛取消了。", R.CAUSE, "因为", "下雨", "比赛取消了"),
    ("比赛取消是因为下雨。", R.CAUSE, "是因为", "下雨", "比赛取消"),
    ("之所以停工，是因为缺钱。", R.CAUSE, "是因为", "缺钱", "停工"),
    ("大雨导致水位上涨。", R.CAUSE, "导致", "大雨", "水位上涨"),
    ("大雨下了一夜，因此河水上涨。", R.CAUSE, "因此", "大雨下了一夜", "河水上涨"),
    ("They cut the hedge in order to let light in.", R.PURPOSE, "in order to", "They cut the hedge", "let light in"),
    ("He lowered the screen so that he sees it.", R.PURPOSE, "so that", "He lowered the screen", "he sees it"),
    ("为了省电，他们关了灯。", R.PURPOSE, "为了", "他们关了灯", "省电"),
    ("If you register, the guarantee runs on.", R.CONDITION, "If", "you register", "the guarantee runs on"),
    ("The lamp glows as long as current flows.", R.CONDITION, "as long as", "current flows", "The lamp glows"),
    ("如果登录，就可以上传。", R.CONDITION, "如果", "登录", "可以上传"),
    ("只要登录，就可以上传。", R.CONDITION, "只要", "登录", "可以上传"),
    ("It is valid only if you register.", R.NECESSITY, "only if", "you register", "It is valid"),
    ("Unless you register, the guarantee lapses.", R.NECESSITY, "Unless", "you register", "the guarantee lapses"),
    ("Admission requires a degree.", R.NECESSITY, "requires", "a degree", "Admission"),
    ("只有持证者才能进入。", R.NECESSITY, "只有", "持证者", "能进入"),
    ("除非登录，否则不能上传。", R.NECESSITY, "除非", "登录", "否则不能上传"),
    ("Although it rained, the match went on.", R.CONCESSION, "Although", "it rained", "the match went on"),
    ("The match went on despite the rain.", R.CONCESSION, "despite", "the rain", "The match went on"),
    ("It rained, but the match went on.", R.CONCESSION, "but", "It rained", "the match went on"),
    ("虽然下雨，但比赛照常进行。", R.CONCESSION, "虽然", "下雨", "但比赛照常进行"),
    ("Wash the rice before you cook it.", R.SEQUENCE, "before", "Wash the rice", "you cook it"),
    ("After the flood, the bridge was closed.", R.SEQUENCE, "After", "the flood", "the bridge was closed"),
    ("在比赛之前，他们签了名。", R.SEQUENCE, "之前", "他们签了名", "在比赛"),
    ("洪水之后，大桥关闭。", R.SEQUENCE, "之后", "洪水", "大桥关闭"),
    ("The K60 is heavier than the K40.", R.COMPARISON, "heavier than", "The K60", "the K40"),
    ("The K40 weighs less than the K60.", R.COMPARISON, "less than", "the K60", "The K40 weighs"),
    ("Unlike the K40, the K60 floats.", R.COMPARISON, "Unlike", "the K60 floats", "the K40"),
    ("甲塔高于乙塔。", R.COMPARISON, "高于", "甲塔", "乙塔"),
    ("They sell fruits such as apples.", R.INCLUSION, "such as", "They sell fruits", "apples"),
    ("A tomato is a kind of berry.", R.INCLUSION, "a kind of", "berry", "A tomato"),
    ("The kit consists of two clips.", R.INCLUSION, "consists of", "The kit", "two clips"),
    ("水果包括苹果和梨。", R.INCLUSION, "包括", "水果", "苹果和梨"),
    ("鲸属于哺乳动物。", R.INCLUSION, "属于", "哺乳动物", "鲸"),
    ("主题是插件的一种。", R.INCLUSION, "是插件的一种", "插件", "主题"),
    ("All plots lost water.", R.SCOPE, "All", "All", "plots lost water"),
    ("Only members may vote.", R.SCOPE, "Only", "Only", "members may vote"),
    ("所有规则同时运行。", R.SCOPE, "所有", "所有", "规则同时运行"),
    ("大多数学生住校。", R.SCOPE, "大多数", "大多数", "学生住校"),
]


@pytest.mark.parametrize(("text", "kind", "connective", "first", "second"), FOUND)
def test_relation_is_found(text: str, kind: R, connective: str, first: str, second: str) -> None:
    """Kind, connective and both sides in normal order."""
    assert (kind, connective, first, second) in [
        (r.kind, r.connective, r.first, r.second) for r in find_relations(text)
    ]


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "because",
                "if",
                "因为",
                "所有",
                "all",
                ",",
                ".",
                "，",
                "。",
                "A",
                "B",
                "是",
                "一种",
                "than",
                "er",
                "only",
                "之前",
            ]
        )
    ).map(" ".join)
)
def test_any_text(text: str) -> None:
    """No text breaks the search; every span is the connective; a text is consistent with itself."""
    relations = find_relations(text)
    assert all(relation.span.of(text) == relation.connective for relation in relations)
    assert check_logic("s", text, relations, [text]).consistent is not False
    assert check_logic("s", text, relations, [text + " x", "y"]).segment_id == "s"


@pytest.mark.parametrize(
    "piece", ["because ", "than ", "heavier than ", "之前", "是一种", " ", ",", "only if a, ", "and not all "]
)
def test_work_is_bounded(piece: str) -> None:
    """Of a megabyte of connectives, no more is read than of a page."""
    text = piece * (1_000_000 // len(piece))
    relations = find_relations(text)
    assert len(relations) <= MAX_RELATIONS
    assert all(relation.span.end <= MAX_TEXT for relation in relations)
    assert all(len(side) <= 3 * MAX_SIDE for relation in relations for side in (relation.first, relation.second))
    assert check_logic("s", text, relations, [text, "because of it"]).segment_id == "s"
