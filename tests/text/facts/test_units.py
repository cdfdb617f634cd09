"""Units of measure, and their size in one base unit per dimension."""

import pytest

from guardrail.text.facts.units import to_base, unit_after, unit_before


@pytest.mark.parametrize(
    ("text", "dimension", "factor"),
    [
        (" km long", "m", 1000),
        (" km-long", "m", 1000),
        ("公里", "m", 1000),
        (" more weeks", "s", None),
        (" km/h", "m/s", 1 / 3.6),
        (" metres per second", "m/s", 1),
        (" square feet", "m²", 0.09290304),
        ("%", "%", 0.01),
        (" Std. lang", "s", 3600),
        (" Min. lang", "s", 60),
        ("分煮る", "s", 60),
        ("分かかります", "s", 60),
        ("分 (調理時間)", "s", 60),
        ("時間後", "s", 3600),
        ("週間ほど", "s", 604_800),
        ("か月", "s", 31_557_600 / 12),
        ("ヶ月", "s", 31_557_600 / 12),
        (" degrees Fahrenheit", "°C", -1),
    ],
)
def test_a_unit_behind_a_number(text, dimension, factor):
    found = unit_after("5" + text, 1)
    assert found is not None
    if factor is None:  # a word between belongs to neither
        assert found[0] == "s"
    else:
        assert found[:2] == (dimension, pytest.approx(factor))


@pytest.mark.parametrize(
    "text",
    [
        "5 birds",
        "5",
        "5 mills",
        "5 night-shift nurses",
        "5 std",
        "5分",
        "5分钱",
        "5分の1です",
        "5分割する",
        "5か所です",
    ],
)
def test_other_words_are_no_units(text):
    assert unit_after(text, 1) is None


def test_a_currency_sign_before_a_number():
    assert unit_before("for US$40", 7) == ("USD", 1, 4)
    assert unit_before("for 40", 4) is None


def test_fahrenheit_has_an_offset():
    assert to_base(212, "°C", -1) == pytest.approx(100)
    assert to_base(5, "m", 1000) == 5000


def test_japanese_words_that_only_begin_like_minutes():
    assert unit_after("9時5分です", 3) is None  # of a time of day
    assert unit_after("1割5分です", 3) is None
    assert unit_after("十分間に合います", 1) is None
    assert unit_after("十分です", 1) is None
