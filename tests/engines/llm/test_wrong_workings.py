"""Workings that only look right: another unit, a bound, a share, another convention of figures, another year."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.derived_values import DerivedValues
from guardrail.text.facts import extract
from guardrail.types import Passage

Workings = list[tuple[str, str]]
FEE = "次月8日扣款。"
REFUND = "自次月起可以退费。"
TENTH = "我2024年6月10日来办退卡。"


def values(text: str, question: str = "") -> DerivedValues:
    return DerivedValues(question, [Passage(text=text)], [extract(text)])


@pytest.mark.parametrize(
    ("text", "value", "said", "workings"),
    [
        (
            "Each box weighs 12 kg; there are 100 boxes.",
            "1.2 kg",
            "The load weighs 1.2 kg.",
            [("12 x 100", "1200 kg"), ("1.2 kg", "1200 g")],
        ),
        (
            "5 sessions of 24 hours.",
            "2 hours",
            "They take 2 hours in all.",
            [("5 x 24", "120"), ("2 hours", "120 minutes")],
        ),
        (
            "A box of 800 g and 12 kg of sand; 100 of them.",
            "1.2 kg",
            "It weighs 1.2 kg.",
            [("12 x 100", "1200 kg"), ("1.2 kg", "1200 g")],
        ),
        ("价格800元,共2件", "3000元", "合计3000元。", [("800 x 2", "1600"), ("3000元", "不到3000元")]),
        ("价格800元,共2件", "1500元", "合计1500元。", [("800 x 2", "1600"), ("1500元", "约1500元")]),
        ("3 of 4 people", "75", "75 came.", [("3 / 4", "75 %"), ("75", "75 %")]),
        (
            "3 and 4 hours",
            "4 days",
            "It takes 4 days.",
            [("3 + 4", "7"), ("4 days", "1 March to 5 March, 7 hours")],
        ),
        (
            "It opens at 9:00. The price is 200 EUR.",
            "40%",
            "A discount of 40% is given.",
            [("40% of 0", "0")],
        ),
        (
            "The total is 18,000 EUR and the deposit is 9,000 EUR.",
            "0.05%",
            "The deposit is 0.05% of the total.",
            [("0.05% x 18,000", "9,000")],
        ),
        (
            "Budget 18.000 €, davon Tiere 9.000 €.",
            "0,05 %",
            "Das sind 0,05 % von dem Budget und nicht mehr.",
            [("0,05 % x 18.000", "9.000")],
        ),
        (
            "Livres : 18 000 €. Animations : 9 000 €.",
            "0,05 %",
            "Les animations en absorbent 0,05 %.",
            [("0,05 % x 18000", "9 000")],
        ),
        ("1箱500kg、5箱あります。", "2.500kg", "全部で2.500kgになります。", [("500 x 5", "2500")]),
        (
            "Jede der 9 Dosen wiegt 125 g und sie werden alle verschickt.",
            "1.125 kg",
            "Zusammen wiegen sie 1.125 kg und werden verschickt.",
            [("125 x 9", "1125")],
        ),
        (
            "Price 45000 EUR, deposit 9000 EUR. It starts at 10:00.",
            "10:20",
            "It ends at 10:20.",
            [("20 % x 45000", "9000"), ("10:00 + 20 min", "10:20")],
        ),
    ],
)
def test_a_sum_that_only_looks_right_gives_nothing(text: str, value: str, said: str, workings: Workings) -> None:
    assert not values(text).follow(value, said, workings)


@pytest.mark.parametrize(
    ("text", "question", "value", "link", "holds"),
    [
        (FEE, "2024年12月的电费是多少？", "2025年1月8日", "2024年12月的次月8日", True),
        (FEE, "2024年12月的电费是多少？", "2024年1月8日", "2024年12月的次月8日", False),
        (REFUND, TENTH, "7月", "6月的次月", True),
        (REFUND, TENTH, "2024年7月", "6月的次月", True),
        (REFUND, TENTH, "2030年7月", "6月的次月", False),
        (REFUND, TENTH, "8月", "不是7月的次月", False),
        ("翌年6月缴费。", TENTH, "7月", "翌年6月", False),
        ("请在一个月内申请。", TENTH, "7月", "6月一个月内", False),
        ("次月8日扣款，15日寄账单。", "7月的电费是多少？", "8月15日", "7月的次月15日", False),
        ("次月8日扣款。", "我3月8日开会。", "8月8日", "7月的次月8日", False),
    ],
)
def test_the_next_month_is_that_of_a_told_month_and_its_year(
    text: str, question: str, value: str, link: str, holds: bool
) -> None:
    assert values(text, question).follow_twice(value, [(value, link)]) is holds
