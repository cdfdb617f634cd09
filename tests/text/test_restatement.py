"""Values in another form are restated as the evidence has them; other values stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.text.facts import extract
from guardrail.text.restatement import restate

_FACTORS = {"mg": 1, "g": 1_000, "kg": 1_000_000}
_TIMES = st.tuples(st.integers(1, 11), st.integers(0, 59), st.booleans())


def restated(claim: str, *evidence: str) -> str:
    return restate(extract(claim), [extract(text) for text in evidence])


@pytest.mark.parametrize(
    ("evidence", "claim", "expected"),
    [
        ("It closes at 20:00 on weekdays.", "It closes at 8 pm on weekdays.", "It closes at 20:00 on weekdays."),
        ("The daily maximum is 1200 mg.", "The daily maximum is 1.2 g.", "The daily maximum is 1200 mg."),
        ("The fee is €49.90.", "The fee is 49.9 EUR.", "The fee is €49.90."),
        ("The course lasts 90 minutes.", "It lasts 1 hour 30 minutes.", "It lasts 90 minutes."),
        ("1,200,000 people live there.", "1.2 million people live there.", "1,200,000 people live there."),
        ("It began on 2021-05-03.", "It began on May 3rd, 2021.", "It began on 2021-05-03."),
        ("Twelve people came.", "12 people came.", "Twelve people came."),
        ("Reply within 14 days.", "Reply within two weeks.", "Reply within 14 days."),
        ("The trail is 10 miles long.", "The trail is 16.1 km long.", "The trail is 10 miles long."),
    ],
)
def test_an_equal_value_takes_the_form_of_the_evidence(evidence, claim, expected):
    assert restated(claim, evidence) == expected


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("It closes at 20:00.", "It closes at 8 am."),
        ("The daily maximum is 1200 mg.", "The daily maximum is 1.17 g."),
        ("The daily maximum is 1200 mg.", "The daily maximum is 12 g."),
        ("It began on 3 May 2021.", "It began on 30 May 2021."),
        ("It took 30 days.", "It took one month."),
        ("The trail is 10 miles long.", "The trail is 10 km long."),
        ("It costs ¥500.", "It costs 500 yuan."),
        ("Version 2.10 is out.", "Version 2.1 is out."),
        ("There is no value here.", "It closes at 8 pm."),
    ],
)
def test_another_value_stays_as_it_is(evidence, claim):
    assert restated(claim, evidence) == claim


def test_a_value_that_the_evidence_words_alike_stays():
    """Also where it has another form of it besides."""
    assert restated("It closes at 8 pm.", "It closes at 8 pm, that is 20:00.") == "It closes at 8 pm."


@given(st.integers(1, 999), st.sampled_from(sorted(_FACTORS)), st.sampled_from(sorted(_FACTORS)))
def test_masses_are_equal_in_all_units(number, one, other):
    value = number * _FACTORS[one] / _FACTORS[other]
    written = f"{value:f}".rstrip("0").rstrip(".")
    if len(written) < 12:
        evidence = f"The box holds {written} {other} of salt."
        assert restated(f"The box holds {number} {one} of salt.", evidence) == evidence


@given(_TIMES)
def test_times_are_equal_on_both_clocks(time):
    hour, minute, late = time
    evidence = f"The gate opens at {hour + 12 * late:02d}:{minute:02d} every day."
    claim = f"The gate opens at {hour}:{minute:02d} {'pm' if late else 'am'} every day."
    assert restated(claim, evidence) == evidence


@given(st.integers(1, 9_999), st.integers(1, 9_999))
def test_numbers_are_restated_only_where_they_are_equal(one, other):
    claim = f"It has {one:,} seats."
    assert restated(claim, f"It has {other} seats.") == (f"It has {other} seats." if one == other else claim)
