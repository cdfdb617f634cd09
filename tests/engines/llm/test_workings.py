"""Sums that a judge shows: right, exact, made of numbers that the documents have, and never run as code."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.workings import any_holds, gives, gives_nearly, numbers_in

TEXT = (
    "month;hall;496000\nmay;hall;411600\njune;572000; 84.500 euros, 40 %, 14 of the 18 pupils; 35.0p and twelve rooms"
)
KNOWN = numbers_in(TEXT)


def test_numbers_of_both_conventions():
    assert {496000, 411600, 84500, 84.5, 40, 14, 35} <= KNOWN


@pytest.mark.parametrize(
    ("value", "sums"),
    [
        ("€1,479,600", [("496000 + 411600 + 572000", "1479600")]),
        ("€1.48 million", [("496,000 + 411,600 + 572,000", "1,479,600")]),
        ("33.800 euros", [("40 % de 84.500", "33.800 euros")]),
        ("40 %", [("14 / 35", "40 %")]),
        ("40 %", [("14 : 35", "0.4")]),
        ("2.5 times", [("35 ÷ 14", "2.5")]),
        ("48 pupils", [("(18 - 14) x 12", "48")]),
        ("€907,614", [("496000 + 411600", "907600"), ("907600 + 14", "907614")]),
        ("2.5 times", [("35 / 14", "2.5")]),
        ("−£84,400", [("411600 - 496000", "-84400")]),
        ("8.4", [("100 % - 40 %", "60 %"), ("60 % x 14", "8.4")]),
    ],
)
def test_a_right_sum_gives_the_value(value, sums):
    assert gives(value, sums, KNOWN)


@pytest.mark.parametrize(
    ("value", "sums"),
    [
        ("€1,479,601", [("496000 + 411600 + 572000", "1479601")]),  # not as exact as it is written
        ("€1,500,000", [("496000 + 411600 + 572000", "1479600")]),  # another value
        ("77 rooms", [("7 x 11", "77")]),  # counts alone
        ("€90,000", [("84500 + 5500", "90000")]),  # a number from nowhere
        ("84,500 euros", [("84500", "84500")]),  # no sum
        ("€12", [("84500 / 0", "12")]),
        ("€12", [("84500 + ( 14", "12"), ("+ 84500", "12"), ("84500 14", "12"), (")", "12"), ("", "12")]),
        ("€12", [("(" * 5000 + "84500", "12"), ("84500 + " * 5000, "12")]),
        ("8450014 rooms", [("84500 14", "8450014")]),
        ("84500 rooms", [("84500 + ( 14", "84500"), ("+ 84500", "84500"), ("84500 14", "84500"), (")", "84500")]),
        ("€9,007", [("40 - 40 + 1000 * 9 + 7", "9007")]),
        ("77 rooms", [("40 / 40 x 7 x 11", "77")]),
        ("€100,000", [("84500 + 5", "84505"), ("84500 + 35", "100000")]),
        ("€1,000,000", [("496000 + 12", "1000000")]),
        ("3 rooms", [("35 / 14", "3")]),
        ("40 EUR", [("14 / 35", "40 %")]),
        ("€2,007", [("2024-05-12", "2007")]),
        ("€12", [("40 x 12", "1" + "0" * 400), ("40 x " + "9" * 5000, "12")]),
        ("€84,501", [("__import__('os').getpid() + 84500", "84501"), ("84500 ** 14", "84501")]),
    ],
)
def test_nothing_else_does(value, sums):
    assert not gives(value, sums, KNOWN)


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [("29 + 2 x 2", "33", True), ("29 + 2 x 2", "34", False), ("29 + 5 x 5", "54", False), ("29", "29", False)],
)
def test_a_sum_holds_whatever_it_gives(left: str, right: str, holds: bool) -> None:
    assert any_holds([(left, right)], {29.0, 2.0}) is holds


def test_small_numbers_are_read_in_words() -> None:
    assert numbers_in("nach drei Monaten, cinco días, douze mois, 1.200 Euro") >= {3.0, 5.0, 12.0, 1200.0}


HALF = {50.0, 80.0}


@pytest.mark.parametrize(
    ("value", "sums", "holds"),
    [
        ("25 EUR", [("50 × 0.5", "25")], True),
        ("105 EUR", [("50 × 0.5", "25"), ("25 + 80", "105")], True),
        ("300 EUR", [("50 x 0.5 x 12", "300")], True),  # half price, for a year
        ("80.5 EUR", [("80 + 0.5", "80.5")], False),  # a share is no summand
        ("12.5 EUR", [("50 x 0.5 x 0.5", "12.5")], False),  # and is taken once
        ("15 EUR", [("50 x 0.3", "15")], False),
        ("6", [("0.5 x 12", "6")], False),  # of nothing
    ],
)
def test_a_share_that_documents_tell_in_words_is_a_factor(value, sums, holds):
    assert gives(value, sums, HALF, {0.5}) is holds


@pytest.mark.parametrize(
    ("value", "sums", "holds"),
    [
        ("300 g", [("4 x 1.5", "6"), ("200 x 1.5", "300")], True),
        ("300 g", [("200 x 1.5", "300")], False),
        ("320 g", [("4 x 1.6", "6.4"), ("200 x 1.6", "320")], False),  # nobody has 6.4
        ("320 g", [("4 x 1.6", "6"), ("200 x 1.6", "320")], False),  # miscounted
    ],
)
def test_what_one_known_number_is_multiplied_by_to_give_another_is_known(value, sums, holds):
    assert gives(value, sums, {4.0, 6.0, 200.0}) is holds


def test_thousands_may_be_parted_by_blanks() -> None:
    assert numbers_in("1 240,00 €") >= {1240.0}
    assert gives("2 480 €", [("1 240 x 2", "2 480")], {1240.0})
    assert not gives("2 481 €", [("1 240 x 2", "2 481")], {1240.0})


@pytest.mark.parametrize(
    ("value", "leeway", "holds"),
    [
        ("340 g", (0.99, 1.0), True),
        ("340 g", (0.99, 1.01), True),
        ("340 g", (1.0, 1.01), False),  # 337.5 is not more
        ("337 g", (1.0, 1.01), True),
        ("350 g", (0.99, 1.01), False),
        ("340 %", (0.99, 1.01), True),
        ("some eggs", (0.99, 1.01), False),
    ],
)
def test_a_result_may_be_said_roughly(value, leeway, holds):
    assert gives_nearly(value, [("4.5 x 75", "337.5")], {4.5, 75.0}, set(), leeway) is holds
    assert not gives_nearly(value, [("4.5 x 76", "342")], {4.5, 75.0}, set(), leeway)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("garantie dix-huit mois", {18.0}),
        ("vingt-quatre heures", {24.0}),
        ("in vierundzwanzig Stunden", {24.0}),
        ("dix jours", {10.0}),
        ("dos meses más tarde", {2.0}),
        ("mal de dos", set()),
        ("vingt-trois jours", set()),  # not in the list, and no 20
    ],
)
def test_numbers_in_words(text, numbers):
    assert numbers_in(text) == numbers
