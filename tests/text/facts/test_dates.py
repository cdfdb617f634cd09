"""Dates and times of day, as precise as the text gives them."""

import pytest

from guardrail.text.facts.dates import read_moments
from guardrail.text.facts.fact import Moment


@pytest.mark.parametrize(
    ("text", "moments"),
    [
        ("on 3 March 2019", [Moment(years=(2019, 2019), month=3, day=3)]),
        ("on March 3rd", [Moment(month=3, day=3)]),
        ("2019-03-03", [Moment(years=(2019, 2019), month=3, day=3)]),
        ("3/4/2019", [Moment(years=(2019, 2019), month=4, day=3, swap=True)]),
        ("in the 1990s", [Moment(years=(1990, 1999))]),
        ("the 19th century", [Moment(years=(1800, 1900))]),
        ("in the ninth century", [Moment(years=(800, 900))]),
        ("It opens at 6.00 pm.", [Moment(minute=1080, sure=True)]),
        ("from 9.30 a.m. on", [Moment(minute=570, sure=True)]),
        ("section 6.00 and 12.15", []),
        ("The base fare is 4.10 at night.", []),
        ("in 2017-19", [Moment(years=(2017, 2017)), Moment(years=(2019, 2019))]),
        ("on Sundays", [Moment(weekdays=(6, 6))]),
        ("Mon–Fri 6:00", [Moment(weekdays=(0, 4)), Moment(minute=360)]),
        ("Monday to Friday", [Moment(weekdays=(0, 4))]),
        ("on weekdays", [Moment(weekdays=(0, 4))]),
        ("Weekends: closed", [Moment(weekdays=(5, 6))]),
        ("Fri. to Sun.", [Moment(weekdays=(4, 6))]),
        ("Sat 9:00", [Moment(weekdays=(5, 5)), Moment(minute=540)]),
        ("Sat on a chair in the Sun", []),
        ("周日", [Moment(weekdays=(6, 6))]),
        ("2025 年 3 月 18 日", [Moment(years=(2025, 2025), month=3, day=18)]),
        ("从 4 月 2 日起", [Moment(month=4, day=2)]),
        ("上午 9 时 30 分", [Moment(minute=570, sure=True)]),
        ("下午两点二十之前", [Moment(minute=860, sure=True)]),
        ("9時10分までに", [Moment(minute=550)]),
        ("前の晩の9時", [Moment(minute=1260, sure=True)]),
        ("48時間", []),
        ("10日間", []),
        ("10日に", [Moment(day=10)]),
        ("1万2000人", []),
        ("at 2:30 p.m.", [Moment(minute=870, sure=True)]),
        ("at ten past eight", [Moment(minute=490)]),
        ("at noon", [Moment(minute=720, sure=True)]),
        ("2019年3月3日", [Moment(years=(2019, 2019), month=3, day=3)]),
        ("十九世纪", [Moment(years=(1800, 1900))]),
        ("下午两点半", [Moment(minute=870, sure=True)]),
        ("you may march", []),
        ("a vote of ten to five", []),
        ("1850 birds", []),
        ("no date", []),
    ],
)
def test_moments(text, moments):
    assert [moment for _, moment in read_moments(text)] == moments


def test_spans_are_ordered_and_quote_the_text():
    text = "Open since 3 May 2001, closed 2019年3月, at 8:10."
    assert [span.of(text) for span, _ in read_moments(text)] == ["3 May 2001", "2019年3月", "8:10"]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("31. März 2025", Moment(years=(2025, 2025), month=3, day=31)),
        ("am 1. Mai", Moment(month=5, day=1)),
        ("14. August", Moment(month=8, day=14)),
        ("Wenn ich am 4. August kündige, wann ist das Ende", Moment(month=8, day=4)),
        ("im Dezember 2024", Moment(years=(2024, 2024), month=12)),
        ("31 de marzo de 2025", Moment(years=(2025, 2025), month=3, day=31)),
        ("1er août 2025", Moment(years=(2025, 2025), month=8, day=1)),
        ("2 April 2024", Moment(years=(2024, 2024), month=4, day=2)),
    ],
)
def test_months_of_other_languages(text, moment):
    assert [found for _, found in read_moments(text)] == [moment]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("um 20 Uhr", [1200]),
        ("um 20.15 Uhr", [1215]),
        ("um 20 Uhr 15", [1215]),
        ("von 8 bis 17.30 Uhr", [480, 1050]),
        ("llegó a las 16.31.", [991]),
        ("vers 20 h 30", [1230]),
        ("dès 6h05", [365]),
        ("de 9 h 15 à 17 h 30", [555, 1050]),
        ("un retard de 2 h 15", []),
        ("départ mardi, 16 h 45", [1005]),
        ("le vol dure 8 h 30", []),
        ("one tablet every 12 h 20 mg each", []),
        ("After 24 h 50 cells were counted", []),
        ("um 20 Uhr 30 Gäste", [1200]),
        ("Kapitel 3 und 10 Uhr", [600]),
        ("las 12.50 toneladas", []),
        ("las 16.31 kg", []),
        ("20.15 Euro", []),
        ("en 12 h 30 min", []),
    ],
)
def test_times_of_day_of_other_languages(text, minutes):
    assert [moment.minute for _, moment in read_moments(text)] == minutes


@pytest.mark.parametrize(
    ("text", "day"), [("30日以内", None), ("7日ほど", None), ("30日まで", 30), ("15日前", 15), ("3月30日以上", 30)]
)
def test_a_number_of_days_is_no_day_of_a_month(text, day):
    assert [moment.day for _, moment in read_moments(text)] == ([day] if day else [])


@pytest.mark.parametrize("text", ["the planet Mars", "Mai Lee", "Marzo is a band", "12 marshmallows", "4 mars bars"])
def test_names_that_are_months_elsewhere(text):
    assert read_moments(text) == []
