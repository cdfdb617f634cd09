"""Numbers that follow from others: equal, hedged, computed."""

import pytest

from guardrail.text.facts.arithmetic import computed, holds, same, shifted_minute, shifted_year
from guardrail.text.facts.fact import Amount, Bound, Moment

YEAR = 31_557_600.0


def amount(value, unit="", bound=Bound.EXACT, factor=1.0, **given):
    return Amount(raw=value, base=value * factor, unit=unit, bound=bound, **given)


def percent(value):
    return amount(value, "%", factor=0.01)


@pytest.mark.parametrize(
    ("claim", "value", "true"),
    [
        (amount(500, bound=Bound.OVER), 612, True),
        (amount(500, bound=Bound.OVER), 400, False),
        (amount(20, bound=Bound.UNDER), 17, True),
        (amount(5, bound=Bound.ABOUT), 5.4, True),
        (amount(4200), 4187, True),
        (amount(12_300), 12_400, False),  # written to the hundred
        (amount(12_000), 11_960, True),
        (amount(42), 41, False),
    ],
)
def test_a_hedged_number_holds_of_a_value(claim, value, true):
    assert holds(claim, value, value) is true


def test_units_that_the_text_left_out_are_forgiven():
    assert same(amount(5), amount(5, "m", factor=1000))
    assert not same(amount(5, "kg"), amount(5, "m"))


@pytest.mark.parametrize(
    ("claim", "amounts", "true"),
    [
        (amount(12), [amount(5), amount(7)], True),
        (amount(2), [amount(5), amount(7)], True),
        (amount(35), [amount(5), amount(7)], True),
        (percent(62), [percent(38)], True),
        (percent(65), [percent(75)], False),  # 1 - 25 / 75: what a share has to its own rest is nobody's figure
        (percent(25), [amount(10), amount(40)], True),
        (amount(4, "x"), [amount(10), amount(40)], True),
        (amount(60), [amount(10), amount(20), amount(30)], True),
        (amount(9), [amount(2), amount(3), amount(4)], False),
        (amount(216, "EUR"), [amount(18, "EUR"), amount(12)], True),
        (amount(41), [amount(5), amount(7)], False),
        (amount(12, label=True), [amount(5), amount(7)], False),
    ],
)
def test_sums_products_ratios_and_complements(claim, amounts, true):
    assert computed(claim, amounts, ()) is true


@pytest.mark.parametrize(
    ("claim", "moments", "true"),
    [
        (amount(66), [Moment(years=(1891, 1891)), Moment(years=(1957, 1957))], True),
        (amount(3, "s", factor=YEAR), [Moment(years=(1936, 1936)), Moment(years=(1939, 1939))], True),
        (amount(40, "s", factor=60), [Moment(minute=840), Moment(minute=880)], True),
        (amount(2, "s", factor=86_400), [Moment(weekdays=(1, 1)), Moment(weekdays=(3, 3))], True),
        (amount(6, "s", factor=86_400), [Moment(month=5, day=2), Moment(month=5, day=8)], True),
        (amount(50), [Moment(years=(1891, 1891)), Moment(years=(1957, 1957))], False),
    ],
)
def test_gaps_between_dates(claim, moments, true):
    assert computed(claim, (), moments) is true


def test_dates_at_a_stated_distance():
    assert shifted_year(1999, [amount(10, "s", factor=YEAR)], [Moment(years=(1989, 1989))], next_to=False)
    assert shifted_year(1990, [], [Moment(years=(1989, 1989))], next_to=True)
    assert not shifted_year(1990, [], [Moment(years=(1989, 1989))], next_to=False)
    assert shifted_minute(500, [amount(20, "s", factor=60)], [Moment(minute=480)])
