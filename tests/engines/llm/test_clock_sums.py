"""Times of day and lengths in hours that a judge works out."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.clock_sums import gives_hours, gives_time
from guardrail.text.facts import extract
from guardrail.text.facts.fact import Moment


def moments(text):
    return [fact.value for fact in extract(text).facts if isinstance(fact.value, Moment)]


NUMBERS = {2.0, 3.0, 12.0, 18.0, 21.0}
ENDS = moments("open from 17:30 to 20:40, from May 2025 through December, 20 April, 3 May, Tuesday, Friday")


@pytest.mark.parametrize(
    ("value", "left", "right", "holds"),
    [
        ("17:18", "17:30 - 12 minutes", "17:18", True),
        ("17:18", "17:30 - 0:12", "17:18", True),
        ("20:30", "17:30 + 3 hours", "20:30", True),
        ("15:12", "17:30 - 2:18", "15:12", True),
        ("14:27", "17:30 - 3:03", "14:27", True),
        ("2:30 pm", "17:30 - 3 hours", "14:30", True),
        ("17 h 18", "17 h 30 - 12 minutes", "17 h 18", True),
        ("17 Uhr 18", "17:30 - 12 min", "17:18 Uhr", True),
        ("17:18", "17:18 + 12 minutes", "17:30", True),  # shown backwards
        ("17:18", "17:18 + 13 minutes", "17:30", False),
        ("17:19", "17:30 - 12 minutes", "17:18", False),
        ("17:18", "17:30 - 13 minutes", "17:18", False),
        ("17:15", "17:30 - 15 minutes", "17:15", False),  # nobody has 15
        ("16:18", "16:30 - 12 minutes", "16:18", False),  # nor 16:30
        ("17:18", "17:30 - many minutes", "17:18", False),
    ],
)
def test_times_of_day(value, left, right, holds):
    assert gives_time(value, [(left, right)], NUMBERS, ENDS) is holds


@pytest.mark.parametrize(
    ("value", "workings", "holds"),
    [
        ("18 hours 20 minutes", [("24:00 - 20:00", "4:00"), ("4:00 + 14:20", "18:20")], True),
        ("四十二小时二十分钟", [("24:00 - 20:00", "4:00"), ("4:00 + 24:00 + 14:20", "42:20")], True),
        ("18 hours 20 minutes", [("4:00 + 14:20", "18:20")], False),  # nobody says four
        ("18 hours", [("24:00 - 20:00", "4:00"), ("4:00 + 14:20", "18:20")], False),
        ("18 hours 10 minutes", [("24:00 - 20:00", "4:00"), ("4:00 + 14:20", "18:10")], False),  # miscounted
    ],
)
def test_a_length_is_added_up_in_hours_and_minutes(value, workings, holds):
    assert gives_hours(value, workings, moments("from 20:00 until 14:20 two days later")) is holds


@pytest.mark.parametrize(
    ("value", "left", "right", "holds"),
    [
        ("18:00", "19:00 - 1 Std.", "18:00", True),
        ("18:00", "19 - 1", "18", True),
        ("17:30", "18.5 - 1", "17.5", True),
        ("17:30", "18,5 - 1", "17,5", True),
        ("18:00", "19 - 1", "17", False),
        ("17:00", "19 - 2", "17", False),  # no length of two hours is known
        ("15:00", "16 - 1", "15", False),  # nor 16:00
        ("19:00", "19 - 0", "19", False),
    ],
)
def test_times_of_day_by_hours_alone(value, left, right, holds):
    known = moments("We eat at 19:00, or at 18:30.")
    assert gives_time(value, [(left, right)], {1.0, 2.0, 19.0}, known, {3600.0, 900.0}) is holds


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [("19:30 + 6", "1:30", True), ("19:30 + 5", "0:30", False), ("19:30 + 6", "2:30", False)],
)
def test_a_bare_number_counts_hours_that_are_known(left, right, holds):
    value = f"{right} Uhr"
    assert gives_time(value, [(left, right)], {6.0, 5.0}, moments("um 19:30 Uhr"), {6 * 3600.0}) is holds


def test_hours_and_minutes_apart_are_a_time() -> None:
    assert gives_time("8 h 30", [("8 h 30 + 25 min", "8 h 55")], {25.0}, moments("Le train part à 8 h 55."))
