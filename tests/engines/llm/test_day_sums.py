"""Dates that a judge works out are believed where the calendar agrees and the parts are known."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.day_sums import gives_day

NUMBERS, DAYS = {2.0, 3.0, 18.0, 21.0}, {(6, 1), (4, 16), (3, 31), (10, 6)}


@pytest.mark.parametrize(
    ("value", "workings"),
    [
        ("30 November 2026", [("1 June 2025 + 18 months", "30 November 2026")]),
        ("1 December", [("1 June 2025 + 18 months", "1 December 2026")]),
        ("16 July 2025", [("16 April 2025 + 3 months", "16 July 2025")]),
        ("31 January 2026", [("31 March 2026 - 2 months", "31 January 2026")]),
        ("15 September", [("6 October - 21 days", "15 September")]),
        ("18 September", [("6 October - 21 days", "15 September"), ("15 September + 3 days", "18 September")]),
    ],
)
def test_right_ones(value, workings):
    assert gives_day(value, workings, NUMBERS, DAYS)


@pytest.mark.parametrize(
    ("value", "workings"),
    [
        ("30 November 2027", [("1 June 2025 + 18 months", "30 November 2026")]),  # another year
        ("28 November 2026", [("1 June 2025 + 18 months", "28 November 2026")]),  # the calendar says otherwise
        ("16 June 2025", [("16 April 2025 + 2 weeks", "16 June 2025")]),
        ("7 July", [("7 April + 3 months", "7 July")]),  # a start that nobody names
        ("16 May", [("16 April + 1 months", "16 May")]),  # a number that nobody names
        ("16 July 2025", [("three months later", "16 July 2025")]),
        ("the 3rd", [("16 April + 3 months", "16 July")]),
        ("16 July", []),
        ("31 February", [("31 March + 9999 years", "31 February")]),
    ],
)
def test_wrong_ones(value, workings):
    assert not gives_day(value, workings, NUMBERS | {9999.0}, DAYS)
