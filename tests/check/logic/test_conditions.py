"""Conditions: sufficient told as necessary and the other way round."""

from __future__ import annotations

import pytest

from guardrail.types import ErrorType
from tests.support.relations import assert_entailed, assert_no_alarm, assert_wrong

E = ErrorType

WRONG = [
    (
        "A degree is enough for admission to the course.",
        ["Admission to the course requires a degree and a clean record."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "Repot the orchid only if the bark has turned soft and the roots push the plant out.",
        ["Repot the orchid when the bark has turned soft or the roots push the plant out."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "Passing the heat test was enough for a clock to be paid for.",
        ["A clock was paid for only if it passed both a heat test and a vibration test."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "Wedging the frame is enough to make the carillon play again.",
        ["Wedging the frame alone does not make the carillon play again."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "A locked account opens again only if an administrator resets it.",
        ["A locked account opens again after an hour, even when no administrator resets it."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    ("只要连续游两百米，就可以考取合格证。", ["考取合格证须连续游两百米并踩水三十秒。"], E.SUFFICIENT_NECESSARY, True),
]

ENTAILED = [
    ("The guarantee holds only if buyers register.", ["Only if buyers register, the guarantee holds."]),
    ("如果下雨，比赛就取消。", ["如果下雨，比赛取消。"]),
]

HONEST = [
    ("If you pay late, a fee is due.", ["A fee is due whenever payment is late."]),
    ("The file is kept unless you delete it.", ["The file is kept until you delete it."]),
    ("The lamp glows as long as current flows.", ["The lamp glows while current flows and it dims afterwards."]),
    ("Entry is free only for members.", ["Members enter free; others pay."]),
    ("You may vote only if you are a member.", ["Nobody but members may vote."]),
    (
        "A certificate is accepted as long as it names the start of the illness.",
        ["A certificate is accepted, but it must name the start of the illness."],
    ),
    (
        "The seller may sell recordings only if he played on them.",
        ["The seller may sell recordings if he played on them."],
    ),
    (
        "A portfolio is enough for the Aldous.",
        ["Applicants for the Aldous need either a school report or a portfolio."],
    ),
    ("As long as wind blows, nobody gets a seat on the lift.", ["The lift runs only if no wind blows."]),
    ("只有会员才能投票。", ["非会员不得投票。"]),
    ("如果下雨，比赛推迟。", ["遇雨时，比赛推迟。"]),
]


@pytest.mark.parametrize(("text", "evidence", "error_type", "contradicts"), WRONG)
def test_wrong_relation(text: str, evidence: list[str], error_type: E, contradicts: bool) -> None:
    assert_wrong(text, evidence, error_type, contradicts=contradicts)


@pytest.mark.parametrize(("text", "evidence"), ENTAILED)
def test_entailed_relation(text: str, evidence: list[str]) -> None:
    assert_entailed(text, evidence)


@pytest.mark.parametrize(("text", "evidence"), HONEST)
def test_no_false_alarm(text: str, evidence: list[str]) -> None:
    assert_no_alarm(text, evidence)
