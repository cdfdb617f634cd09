"""Times of the days of the week: a claim that gives days the times of other days is told apart from a right one."""

import pytest

from guardrail.text.facts import extract
from guardrail.text.facts.fact import Moment
from guardrail.text.facts.schedules import times_instead

LINES = ["Weekdays: 6:00–23:00", "Saturday: 9:00–18:00"]
IN_A_ROW = ["Opening hours: Mon–Fri 6:00–23:00, Sat 9:00–18:00."]
DAYS_FIRST = ["It opens on weekdays at 6:00 and on Saturdays at 9:00."]
TIMES_FIRST = ["It opens at 6:00 on weekdays, at 9:00 on Saturdays and at 10:00 on Sundays."]
MIXED = ["On weekdays it opens at 6:00, at 9:00 on Saturdays and at 10:00 on Sundays."]


def instead(claim, evidence):
    facts = extract(claim)
    times = [fact for fact in facts.facts if isinstance(fact.value, Moment) and fact.value.minute is not None]
    found = [times_instead(facts, time, [extract(text) for text in evidence]) for time in times]
    return next(filter(None, found), None)


@pytest.mark.parametrize(
    ("claim", "evidence", "stated"),
    [
        ("Weekdays: 9:00–18:00", LINES, "6:00–23:00"),
        ("Monday to Friday: 9:00–18:00", IN_A_ROW, "6:00–23:00"),
        ("On Saturdays it opens at 6 am.", DAYS_FIRST, "9:00"),
        ("Saturday until 23:00", IN_A_ROW, "9:00–18:00"),
    ],
)
def test_times_of_other_days(claim, evidence, stated):
    assert instead(claim, evidence) == stated


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Weekdays: 6:00–23:00", LINES),
        ("Weekdays: 7:00–23:00", LINES),  # in no line: another rule's work
        ("Friday: 9:00", IN_A_ROW),
        ("Sunday: 9:00", LINES),
        ("It opens at 9:00.", LINES),
        ("Weekdays and Saturdays: 9:00", LINES),
        ("Saturdays: 9:00", TIMES_FIRST),
        ("Saturdays: 9:00", MIXED),
        ("Weekdays: 9:00", [*LINES, "The desk is open from 9:00."]),
        ("Weekdays: 9:00", [*LINES, "Weekdays: 9:00 (desk)"]),
    ],
)
def test_silent_where_the_days_may_have_the_time(claim, evidence):
    assert instead(claim, evidence) is None
