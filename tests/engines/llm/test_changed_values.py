"""Worked-out values are believed; changed by one in the answer and in what the judge shows of it, they are not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.support.judged_documents import documents

Workings = tuple[tuple[str, str], ...]

WORKED: tuple[tuple[str, str, str, str, Workings], ...] = (
    # passage, question, claim, value, workings
    ("Ein Platz kostet 17 € je Nacht.", "", "Vier Nächte kosten 68 €.", "68 €", (("4 x 17", "68"),)),
    (
        "Die Laufzeit beträgt zwölf Monate; gekündigt wird sechs Wochen vorher.",
        "Mein Vertrag läuft seit dem 1. April 2025.",
        "Die Kündigung muss bis zum 17.02.2026 da sein.",
        "17.02.2026",
        (("1. April 2025 + 12 Monate", "31. März 2026"), ("6 x 7", "42"), ("31.03.2026 - 42 Tage", "17.02.2026")),
    ),
    (
        "Zwischen zwei Gaben liegen mindestens sechs Stunden.",
        "Sie hat ihn um 19:30 Uhr bekommen.",
        "Die nächste Gabe ist ab 1:30 Uhr erlaubt.",
        "1:30 Uhr",
        (("19:30 + 6", "1:30"),),
    ),
    (
        "Le colis est gardé dix jours. La prolongation se demande la veille au plus tard.",
        "Il est arrivé le 3 juin.",
        "Demandez-la le 12 juin.",
        "12 juin",
        (("3 + 10", "13"), ("13 - 1", "12")),
    ),
    ("El menú cuesta 12,50 €.", "Somos tres.", "Son 37,50 €.", "37,50 €", (("3 x 12,50", "37,50"),)),
    (
        "出生日の翌日から15日以内に申請してください。",
        "子どもは7月28日に生まれました。",
        "期限は8月12日です。",
        "8月12日",
        (("7月28日 + 15日", "8月12日"),),
    ),
    (
        "土日祝は30分250円です。",
        "午前10時20分から午後4時50分まで停めました。",
        "13単位で3,250円です。",
        "3,250",
        (("390 / 30", "13"), ("13 x 250", "3250")),
    ),
    ("检查前8小时禁食。", "检查约在上午九点二十。", "1:20以后不能吃东西。", "1:20", (("9:20 - 8:00", "1:20"),)),
    ("每升超量5元。", "我超了23升。", "一共115元。", "115元", (("23 x 5", "115"),)),
)
_FORMS = re.compile(r"\d+")


def is_believed(passage: str, question: str, claim: str, workings: Workings) -> bool:
    return documents(passage, question=question, answer=claim).works_out(claim, workings)


def changed(value: str) -> Iterator[tuple[str, str, str]]:
    """A number of it, another one, and the value with that."""
    for number in _FORMS.finditer(value):
        for step in (1, 10):
            other = str(int(number.group()) + step).zfill(len(number.group()))
            yield number.group(), other, value[: number.start()] + other + value[number.end() :]


@pytest.mark.parametrize(("passage", "question", "claim", "value", "workings"), WORKED)
def test_a_value_is_believed_as_it_is_worked_out(
    passage: str, question: str, claim: str, value: str, workings: Workings
) -> None:
    assert value in claim
    assert not is_believed(passage, question, claim, ())
    assert is_believed(passage, question, claim, workings)


@pytest.mark.parametrize(("passage", "question", "claim", "value", "workings"), WORKED)
def test_a_judge_that_goes_along_with_another_value_is_not(
    passage: str, question: str, claim: str, value: str, workings: Workings
) -> None:
    *steps, (left, right) = workings
    for number, other, wrong in changed(value):
        other_claim, shown = claim.replace(value, wrong), (left, right.replace(number, other, 1))
        by_others = is_believed(passage, question, other_claim, tuple(steps))  # the 13th, on the way to the 12th
        assert by_others or not is_believed(passage, question, other_claim, (*steps, shown)), wrong
