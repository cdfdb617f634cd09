"""Dates that two looks of a judge agree on, and dates that nothing leads to."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.derived_values import DerivedValues
from guardrail.text.passages import sentences
from guardrail.types import Passage


def values(text: str, question: str = "") -> DerivedValues:
    return DerivedValues(question, [Passage(text=text)], [f for s in sentences(text) for f in s.all_facts])


@pytest.mark.parametrize(
    ("text", "question", "value", "workings", "holds"),
    [
        ("Le préavis est d'un mois.", "Remise le 12 mai 2026.", "12 juin 2026", [("5 + 1", "6")], True),
        ("Le préavis est de trois mois.", "Remise le 12 mai 2026.", "12 juin 2026", [("5 + 1", "6")], False),
        ("毎月12日に引き落とし、検針月の翌月です。", "4月の検針です。", "5月12日", [("4 + 1", "5")], True),
        ("毎月12日に引き落とし、検針月の翌月です。", "4月の検針です。", "5月13日", [("4 + 1", "5")], False),
        (
            "Surte efecto al acabar ese mes.",
            "Hoy es 10 de septiembre de 2026.",
            "30 de septiembre de 2026",
            [("30 de septiembre", "al acabar ese mes")],
            True,
        ),
        ("Surte efecto al acabar ese mes.", "Hoy es 10 de septiembre de 2026.", "30 de septiembre de 2026", [], False),
        (
            "Surte efecto al acabar ese mes.",
            "Hoy es 10 de septiembre de 2026.",
            "29 de septiembre de 2026",
            [("29 de septiembre", "al acabar ese mes")],
            False,
        ),
        ("自借出次日起计算，第30天到期。", "3月3日借了书。", "3月4日", [("3月4日", "借出次日")], True),
        ("借期为30天。", "3月3日借了书。", "4月2日", [("28 + 2", "30")], True),
        ("借期为30天。", "3月3日借了书。", "4月2日", [], False),
        ("借期为30天。", "3月3日借了书。", "4月9日", [("28 + 2", "30")], False),
        ("La garantie court dix-huit mois.", "Acheté le 12 novembre 2023.", "12 mai 2022", [("18 - 12", "6")], False),
        ("自次月起可以退费。", "我6月10日来办退卡。", "7月", [("7月", "6月的次月")], True),
        ("自次月起可以退费。", "我6月10日来办退卡。", "8月", [("8月", "6月的次月")], False),
        ("自次月起可以退费。", "我6月10日来办退卡。", "8月", [("8月", "7月的次月")], False),
        ("当月可以退费。", "我6月10日来办退卡。", "7月", [("7月", "6月的次月")], False),
        ("银行代扣，次月8日扣款。", "7月的电费是多少？", "8月8日", [("8月8日", "7月的次月8日")], True),
        ("银行代扣，次月8日扣款。", "7月的电费是多少？", "8月9日", [("8月9日", "7月的次月9日")], False),
    ],
)
def test_dates_that_two_looks_agree_on(
    text: str, question: str, value: str, workings: list[tuple[str, str]], holds: bool
) -> None:
    assert values(text, question).follow_twice(value, workings) is holds


@pytest.mark.parametrize(
    ("value", "holds"), [("3月31日", True), ("2月28日", False), ("3月30日", False), ("4月30日", False)]
)
def test_the_end_of_a_month_or_of_the_next(value: str, holds: bool) -> None:
    club = values("11日以降は翌月末の退会とする。", "2月12日に退会届を出します。")
    assert club.follow_twice(value, [("2月の翌月末", value)]) is holds


@pytest.mark.parametrize(
    ("text", "question", "value", "workings"),
    [
        ("Due at the end of the month. Ref 31.13.2024.", "", "30 May 2024", [("30 May", "the end of the month")]),
        ("Within 30 days.", "Bought on 3 March 2025.", "1 April 2025", [("3 March 2025 + 30 days", "2 April 2025")]),
        ("Within 30 days.", "Bought on 3 March 2025.", "2 April 2025", [("sellers", "dealers")]),
        ("The pool costs 9 EUR a month.", "Invoice of 10 May 2026.", "10 June 2026", [("5 + 1", "6")]),
        ("Notice is one month.", "Sent on 5 May 2026.", "6 June 2026", [("5 + 1", "6")]),
        ("Notice is one month.", "Sent on 5 May 2026.", "6 May 2026", [("5 + 1", "6")]),
        ("Orders ship the next day.", "Opened on 3 October 2025.", "4 October 2025", []),
    ],
)
def test_dates_that_nothing_leads_to(text: str, question: str, value: str, workings: list[tuple[str, str]]) -> None:
    assert not values(text, question).follow_twice(value, workings)
