"""Numerals in digits, words and Chinese characters."""

from itertools import pairwise

import pytest

from guardrail.text.facts.numbers import plain_digits, read_cjk, read_decimal, read_numerals
from guardrail.text.words import read_words


def values(text):
    return [(n.value, n.form) for n in read_numerals(text, read_words(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200 birds and 3.5 million", [(1200, "digits"), (3_500_000, "digits")]),
        ("1 200 birds", [(1200, "digits")]),
        ("1 240,00 € et 12 500,5 €", [(1240, "digits"), (12_500.5, "digits")]),
        ("2 120,005", [(2, "digits"), (120_005, "digits")]),
        ("the 3rd, the twenty-first", [(3, "ordinal"), (21, "ordinal")]),
        ("twelve hundred and five", [(1205, "words")]),
        ("two and a half, two thirds, half", [(2.5, "words"), (2 / 3, "fraction"), (0.5, "fraction")]),
        ("twice, both", [(2, "count"), (2, "count")]),
        ("一千二百", [(1200, "cjk")]),
        ("料金は7,150円", [(7150, "digits")]),
        ("全長は10.7km", [(10.7, "digits")]),
        ("合計は1万7,270円", [(17_270, "digits")]),
        ("1億2千万円と1億2,500万円", [(120_000_000, "digits"), (125_000_000, "digits")]),
        ("3万2千5百円、7万5千円", [(32_500, "digits"), (75_000, "digits")]),
        ("1万2000人", [(12_000, "digits")]),
        ("百分之五", [(5, "percent")]),
        ("三分之二", [(2 / 3, "fraction")]),
        ("3.5万", [(35_000, "digits")]),
        ("Die Gebühr ist 1.200 Euro und 1.234,56 Euro für den Rest", [(1200, "digits"), (1234.56, "digits")]),
        ("Das Werk hat 12.000 Plätze und ist zu", [(12_000, "digits")]),
        ("from 1.200 to 1.659 €/l", [(1.2, "digits"), (1.659, "digits")]),
        ("The fee is 1.200 € a year.", [(1200, "digits")]),
        ("Diesel costs 1.659 EUR a litre.", [(1.659, "digits")]),
        ("El paquete pesa 1.250 kg según la ficha y el manual", [(1.25, "digits")]),
        ("version 1.2.3.4", []),
        ("六七百", []),
    ],
)
def test_numerals(text, expected):
    assert values(text) == expected


def test_numerals_do_not_overlap():
    found = read_numerals("3.5万 and 二十 one", read_words("3.5万 and 二十 one"))
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize(("digits", "value"), [("1,200.5", 1200.5), ("3,5", 3.5), ("1.2.3", None), ("9" * 30, None)])
def test_decimal(digits, value):
    assert read_decimal(digits) == value


@pytest.mark.parametrize(("numeral", "value"), [("二〇一九", 2019), ("十二", 12), ("两万五", 20_005), ("三点五", 3.5)])
def test_chinese_numeral(numeral, value):
    assert read_cjk(numeral) == value


def test_full_width_digits_keep_their_places():
    assert plain_digits("２０１９年，二0一九年") == "2019年，二〇一九年"
