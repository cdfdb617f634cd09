"""Dates that a judge works out are believed where the calendar agrees and the parts are known."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.calendar_sums import (
    days_of_months,
    gives_day,
    gives_days,
    gives_span,
    gives_weekday,
    is_month_length,
)
from guardrail.text.facts import extract
from guardrail.text.facts.fact import Moment


def moments(text):
    return [fact.value for fact in extract(text).facts if isinstance(fact.value, Moment)]


NUMBERS = {2.0, 3.0, 12.0, 18.0, 21.0, 75.0}
DAYS = moments("1 June, 16 April, 1 April, 31 March, 6 October; not before December 2025, 4 July 2027")
ENDS = moments("open from 17:30 to 20:40, from May 2025 through December, 20 April, 3 May, Tuesday, Friday")


@pytest.mark.parametrize(
    ("value", "workings"),
    [
        ("30 November 2026", [("1 June 2025 + 18 months", "30 November 2026")]),
        ("1 December", [("1 June 2025 + 18 months", "1 December 2026")]),
        ("16 July 2025", [("16 April 2025 + 3 months", "16 July 2025")]),
        ("31 January 2026", [("31 March 2026 - 2 months", "31 January 2026")]),
        ("15 September", [("6 October - 21 days", "15 September")]),
        ("31. März 2025", [("1. April 2024 + 12 Monate", "31. März 2025")]),
        ("31 de marzo de 2025", [("1 de abril de 2024 + 12 meses", "31 de marzo de 2025")]),
        ("2027年9月30日", [("2026年4月1日 + 18个月", "2027年9月30日")]),
        ("22 June", [("1 + 21", "22")]),  # within a month, from 1 June
        ("1. September 2025", [("drei Monate nach dem 1. Juni 2025", "1. September 2025")]),
        ("1 March 2025", [("1 March 2025", "three months before 1 June 2025")]),
        ("September 2025", [("September 2025", "drei Monate nach dem 1. Juni 2025")]),
        ("Oktober 2025", [("Dezember 2025 - 2 Monate", "Oktober 2025")]),
        ("febrero de 2026", [("dos meses después de diciembre de 2025", "febrero de 2026")]),
        ("May 2027", [("July 2027 - 2 months", "May 2027")]),  # of 4 July 2027
        ("18 September", [("6 October - 21 days", "15 September"), ("15 September + 3 days", "18 September")]),
    ],
)
def test_right_ones(value, workings):
    assert gives_day(value, workings, NUMBERS, DAYS)


@pytest.mark.parametrize(
    ("value", "workings"),
    [
        ("1 June", [("1 + 0", "1")]),
        ("22 July", [("1 + 21", "22")]),  # no date in July is known
        ("1 September 2025", [("three months before 1 June 2025", "1 September 2025")]),
        ("1 September 2025", [("three months, 1 June 2025", "1 September 2025")]),  # before or after
        ("October 2025", [("drei Monate nach dem 1. Juni 2025", "October 2025")]),
        ("30 November 2027", [("1 June 2025 + 18 months", "30 November 2026")]),  # another year
        ("28 November 2026", [("1 June 2025 + 18 months", "28 November 2026")]),  # the calendar says otherwise
        ("16 June 2025", [("16 April 2025 + 2 weeks", "16 June 2025")]),
        ("7 July", [("7 April + 3 months", "7 July")]),  # a start that nobody names
        ("16 May", [("16 April + 1 months", "16 May")]),  # a number that nobody names
        ("16 July 2025", [("three months later", "16 July 2025")]),
        ("4 June 2025", [("1 June 2025 + 3 working days", "4 June 2025")]),  # holidays are not known
        ("November 2025", [("December 2025 - 2 months", "November 2025")]),
        ("1 October 2025", [("December 2025 - 2 months", "1 October 2025")]),  # a month has no day
        ("4 October 2025", [("December 2025 - 2 months + 3 days", "4 October 2025")]),
        ("August 2031", [("June 2031 + 2 months", "August 2031")]),  # a year that nobody names
        ("October 2025", [("November 2025 - 2 months", "October 2025")]),  # another month than the known one
        ("2 October 2025", [("December 2025 - 2 months", "2 October 2025")]),
        ("September 2025", [("December 2025 - 75 days", "September 2025")]),  # from which day?
        ("the 3rd", [("16 April + 3 months", "16 July")]),
        ("16 July", []),
        ("31 February", [("31 March + 9999 years", "31 February")]),
    ],
)
def test_wrong_ones(value, workings):
    assert not gives_day(value, workings, NUMBERS | {9999.0}, DAYS)


@pytest.mark.parametrize(
    ("value", "workings"),
    [
        ("3 hours and 10 minutes", [("17:30 to 20:40", "3 hours 10 minutes")]),
        ("eight months", [("May to December", "8 months")]),
        ("13 days", [("20 April - 3 May", "13 days")]),
        ("two weeks", [("from 20 April to 3 May", "14 days")]),
        ("four days", [("Tuesday to Friday", "4 days")]),
    ],
)
def test_right_lengths(value, workings):
    assert gives_span(value, workings, ENDS)


@pytest.mark.parametrize(
    ("value", "workings"),
    [
        ("4 hours", [("17:30 to 20:40", "4 hours")]),  # the clock says otherwise
        ("nine months", [("May to December", "8 months")]),  # another length than the one shown
        ("nine months", [("May to December", "9 months")]),
        ("eight months", [("June to January", "8 months")]),  # ends that nobody names
        ("eight euros", [("May to December", "8 euros")]),
        ("eight months", [("May", "8 months")]),
        ("eight months", []),
    ],
)
def test_wrong_lengths(value, workings):
    assert not gives_span(value, workings, ENDS)


@pytest.mark.parametrize(
    ("value", "left", "right", "holds"),
    [
        ("Monday", "Thursday - 3 days", "Monday", True),
        ("Monday", "Thursday - 3", "Monday", True),
        ("Monday", "Thursday - 17", "Monday", False),  # 17 is no number of theirs
        ("Tuesday", "Thursday - 3 days", "Tuesday", False),  # miscounted
        ("Monday", "Wednesday - 2 days", "Monday", False),  # nobody says Wednesday
        ("Tuesday", "Thursday - 3 days", "Monday", False),  # the working gives another day
        ("Friday", "1 May 2026", "Friday", True),
        ("Saturday", "1 May 2026", "Saturday", False),
        ("Friday", "8 May 2026", "Friday", False),
        ("at 7 pm", "Thursday - 3 days", "Monday", False),
    ],
)
def test_a_day_of_the_week_follows(value, left, right, holds):
    known = moments("On Thursday. Three days before: no seeds. The list ends on 1 May 2026.")
    assert gives_weekday(value, [(left, right)], {3.0, 7.0}, known) is holds


@pytest.mark.parametrize(
    ("value", "workings", "holds"),
    [
        ("13 days", [("31 - 20", "11"), ("11 + 2", "13")], True),
        ("13天", [("31 - 20", "11天"), ("2 + 11", "13天")], True),
        ("13 days", [("11 + 2", "13")], False),  # eleven of what
        ("12 days", [("30 - 20", "10"), ("10 + 2", "12")], False),  # March has 31
        ("14 days", [("31 - 20", "12"), ("12 + 2", "14")], False),  # miscounted
        ("14 days", [("31 - 20", "11"), ("11 + 3", "14")], False),  # nobody says 3 April
        ("16 days", [("31 - 20", "11"), ("11 + 5", "16")], False),  # 5 June is not in the next month
        ("13 euros", [("31 - 20", "11"), ("11 + 2", "13")], False),
    ],
)
def test_days_lead_into_the_next_month(value, workings, holds):
    assert gives_days(value, workings, moments("20 March, 2 April, 5 June")) is holds


def test_days_do_not_lead_into_another_year():
    known = moments("20 March 2024, 2 April 2025")
    assert not gives_days("13 days", [("31 - 20", "11"), ("11 + 2", "13")], known)


@pytest.mark.parametrize(
    ("value", "said", "workings", "holds"),
    [
        ("31", "Le loyer de juillet : 9 jours sur 31", [], True),
        ("31", "Neun, also 9 Tage von 31", [("Juli", "31 Tage")], True),
        ("31 jours", "31 jours en tout", [("juillet", "31 jours")], True),
        ("31 jours", "31 jours en tout", [], False),
        ("31 jours", "31 jours en tout", [("juin", "31 jours")], False),
        ("31", "Le rapport de juillet compte 31 pannes", [("juillet", "31 jours")], False),
        ("31", "Le loyer de juin : 9 jours sur 31", [], False),
        ("20", "Le loyer de juin : 9 jours sur 20", [], False),
        ("31 €", "9 jours sur 31 €", [("juillet", "31 jours")], False),
    ],
)
def test_the_length_of_a_month_is_known(value, said, workings, holds):
    assert is_month_length(value, said, workings) is holds


def test_months_are_known_by_name_or_date():
    assert days_of_months(["le 9 juin", "en février"]) == {28.0, 29.0, 30.0}
    assert days_of_months(["3月20日"]) == {31.0}
    assert days_of_months(["you may march"]) == set()
