"""Dates and times that follow from others."""

from __future__ import annotations

from datetime import date

import pytest

from guardrail.text.facts import extract
from guardrail.text.facts.calendar import coincidence_of_moment, moved
from guardrail.text.facts.fact import Amount, Moment


def chance(claim: str, told: str) -> float:
    (wanted,) = [f.value for f in extract(claim).facts if isinstance(f.value, Moment)]
    values = [f.value for f in extract(told).counted]
    moments = [value for value in values if isinstance(value, Moment)]
    return coincidence_of_moment(wanted, moments, [value for value in values if isinstance(value, Amount)])


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("So hand it in by 3 August.", "It was lost on 4 June. Claims are due within 60 days."),
        ("It ends on 31 May 2026.", "It starts on 1 June 2025 and runs for 12 months."),
        (
            "The third dose is due on 3 August 2026.",
            "The first was on 3 February 2026, the third follows 6 months later.",
        ),
        ("Check-in closes at 16:35.", "The flight leaves at 17:25. Check-in closes 50 minutes before."),
        ("Renew from August 2025.", "It expires on 30 September 2025. Renewal opens 6 weeks before."),
    ],
)
def test_what_lies_a_stated_length_away_is_hardly_a_coincidence(claim: str, told: str) -> None:
    assert chance(claim, told) <= 0.2


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("So hand it in by 8 August.", "It was lost on 4 June. Claims are due within 60 days."),
        ("It ends on 31 May 2027.", "It starts on 1 June 2025 and runs for 12 months."),
        ("Check-in closes at 16:20.", "The flight leaves at 17:25. Check-in closes 50 minutes before."),
        ("It is closed on Monday.", "It opens on Friday for 3 days."),
        ("Hand it in by 4 June.", "It was lost on 4 June. Claims are due within 60 days."),
    ],
)
def test_what_does_not_is_one(claim: str, told: str) -> None:
    assert chance(claim, told) == 1.0


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("The pool is open until 8 pm.", "It is open from 7 am to 9 pm. Ticket sales end 1 hour before."),
        ("You have to pay by 1 September.", "It is due on 1 August. A reminder is sent after 1 month."),
    ],
)
def test_full_hours_and_days_near_a_term_follow_easily(claim: str, told: str) -> None:
    assert chance(claim, told) > 0.05


def test_many_dates_and_lengths_reach_most_days() -> None:
    told = "Dates: 1 May, 4 May, 9 May, 16 May, 27 May. Terms: 3 days, 5 days, 8 days, 13 days, 2 weeks, 20 days."
    assert chance("It is due on 12 May.", told) > 0.5


def test_a_month_on_from_its_last_day_is_a_day_that_exists() -> None:
    assert moved(Moment(years=(2025, 2025), month=1, day=31), 0, 1) == date(2025, 2, 28)
    assert moved(Moment(years=(9999, 9999), month=12, day=31), 1, 0) is None
    assert moved(Moment(years=(2025, 2025), month=2, day=30), 0, 0) is None
