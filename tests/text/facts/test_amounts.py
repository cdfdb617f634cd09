"""Numbers and quantities: numerals joined with unit, hedge and name."""

import pytest

from guardrail.text.facts.amounts import read_amounts
from guardrail.text.facts.fact import Bound, FactKind
from guardrail.text.words import read_words


def facts(text):
    return read_amounts(text, read_words(text), ())[0]


def test_money_takes_its_cents():
    (fact,) = facts("It costs 64 euros and 50 cents.")
    assert (fact.surface, fact.value.base, fact.value.unit) == ("64 euros and 50 cents", 64.5, "EUR")
    assert [fact.value.base for fact in facts("64 euros for adults and 50 cents for dogs")] == [64, 0.5]


def counted(text):
    return read_amounts(text, read_words(text), ())[1]


@pytest.mark.parametrize(
    ("text", "kind", "base", "unit", "bound"),
    [
        ("It is 5 km long.", FactKind.QUANTITY, 5000, "m", Bound.EXACT),
        ("about 20 %", FactKind.PERCENT, 0.2, "%", Bound.ABOUT),
        ("more than 500 people", FactKind.NUMBER, 500, "", Bound.OVER),
        ("Some 130,000 people live there.", FactKind.NUMBER, 130_000, "", Bound.ABOUT),
        ("at most $5m", FactKind.QUANTITY, 5e6, "USD", Bound.UNDER),
        ("it was minus 5 °C", FactKind.QUANTITY, -5, "°C", Bound.EXACT),
        ("温度回到-19.1℃", FactKind.QUANTITY, -19.1, "°C", Bound.EXACT),
        ("夜间零下5℃", FactKind.QUANTITY, -5, "°C", Bound.EXACT),
        ("氷点下5℃になる", FactKind.QUANTITY, -5, "°C", Bound.EXACT),
        ("a quarter of an hour", FactKind.QUANTITY, None, "s", Bound.EXACT),
        ("300人以上", FactKind.NUMBER, 300, "", Bound.EXACT),
    ],
)
def test_an_amount_is_read_with_unit_and_hedge(text, kind, base, unit, bound):
    (fact,) = facts(text)
    assert (fact.kind, fact.value.unit, fact.value.bound) == (kind, unit, bound)
    assert fact.span.of(text) == fact.surface
    if base is not None:
        assert fact.value.base == pytest.approx(base)


@pytest.mark.parametrize("text", ["one of them, twice", "several hundred", "[4]", "COVID-19", "4x4"])
def test_slight_and_other_numbers_are_not_checked(text):
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("£185–195 million", (185e6, "GBP"), (195e6, "GBP")),
        ("from 2 to 3 thousand euros", (2000, "EUR"), (3000, "EUR")),
        ("1.2-1.4 billion", (1.2e9, ""), (1.4e9, "")),
        ("from 900 to 1.2 million", (900, ""), (1.2e6, "")),
        ("2 million to 3 million", (2e6, ""), (3e6, "")),
    ],
)
def test_ranges_share_a_scale_and_a_currency(text, first, second):
    assert [(pytest.approx(f.value.base), f.value.unit) for f in facts(text)] == [first, second]


def test_ranges_share_a_unit_and_sums_are_counted():
    assert [(f.value.base, f.value.unit) for f in facts("from 5 to 7 km")] == [(5000, "m"), (7000, "m")]
    assert [f.value.base for f in counted("1 hour 30 minutes")] == [5400]


def test_a_number_in_a_name_is_a_label():
    (fact,) = facts("The old Korvel 40 is red.")
    assert fact.value.label


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("三个半小时", 3.5, "s"),
        ("一共18个半小时", 18.5, "s"),
        ("保修两年半", 2.5, "s"),
        ("3時間半で着きます", 3.5, "s"),
        ("身高1米42", 1.42, "m"),
        ("身高1米7的孩子", 1.7, "m"),
        ("幅25メートル", 25.0, "m"),
        ("牛乳200ミリリットル", 200.0, "l"),
        ("全部で7万5千円", 75_000.0, "CNY"),
        ("全部で1万7,270円", 17_270.0, "CNY"),
    ],
)
def test_what_stands_behind_a_unit_belongs_to_the_amount(text, value, unit):
    (fact,) = facts(text)
    assert (fact.value.raw, fact.value.unit) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2時間半額になります", {2.0}),
        ("入社3年半ばです", {3.0}),
        ("每2天半小时休息", {2.0}),
        ("前2周半折优惠", {2.0}),
        ("五年半年报", {5.0}),
        ("2米30厘米", {2.0, 30.0}),
        ("他跑100米12秒", {100.0, 12.0}),
        ("面积90平方米3室2厅", {90.0, 3.0, 2.0}),
        ("1.8米2人", {1.8, 2.0}),
        ("长1米5cm", {1.0, 5.0}),
    ],
)
def test_what_begins_another_word_does_not(text, read):
    assert {f.value.raw for f in facts(text)} == read
