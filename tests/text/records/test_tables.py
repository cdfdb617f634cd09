"""Tables and lists as statements: what a row says, what is prose, and that hostile text costs steps in proportion."""

from __future__ import annotations

import pytest

from guardrail.text.records import is_table_rule, statements, table_cells
from tests.support.growth import grows_linearly


def told(text: str) -> list[str]:
    return [statement.text for statement in statements(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| Plan | Data |\n|---|--:|\n| Move | 40 GB |\n| Max | |", ["Plan: Move; Data: 40 GB.", "Plan: Max."]),
        ("room,size_m2,price\nAlpha,12,40\nBeta,20,60", ["room: Alpha; size: 12 m²; price: 40.", "room: Beta; size: 20 m²; price: 60."]),
        ("Station\tDeparture\nOslo\t10:05", ["Station: Oslo; Departure: 10:05."]),
        ("Day | Hours\nMonday | 9 to 5\nTuesday | closed", ["Day: Monday; Hours: 9 to 5.", "Day: Tuesday; Hours: closed."]),
        ("<table><tr><th>Day<th>Hours</tr><tr><td>Mon<td>9&ndash;17</table>", ["Day: Mon; Hours: 9–17."]),
        ("The fee includes:\n- towels\n- the sauna", ["The fee includes: towels", "The fee includes: the sauna"]),
    ],
)  # fmt: skip
def test_what_a_row_or_an_item_says(text: str, expected: list[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We sell apples, pears, plums.\nWe buy rice, wheat, oats.\nWe lend carts, sacks, scales.",
        "Note the following: it rains.",
        "a | b",
    ],
)
def test_prose_is_no_table(text: str) -> None:
    assert told(text) == []


def test_a_row_tells_what_its_column_makes_of_it() -> None:
    table = "| Plan | Price | Start |\n|---|---|---|\n| A | €9.99 | 8:05 |\n| B | €7 | 07:40 |\n| C | €7 | 9:00 |"
    assert told(table) == [
        "Plan: A; Price: €9.99 (highest); Start: 8:05.",
        "Plan: B; Price: €7; Start: 07:40 (earliest).",
        "Plan: C; Price: €7; Start: 9:00 (latest).",
    ]
    mixed = "| Plan | Data |\n|---|---|\n| A | 10 GB |\n| B | 2 TB |\n| C | unlimited |"
    assert "est)" not in " ".join(told(mixed))


def test_a_bar_that_is_escaped_is_part_of_its_cell() -> None:
    assert table_cells(r"| a \| b | c |") == ("a | b", "c")
    assert table_cells("x") == ("x",)


@pytest.mark.parametrize(("line", "rule"), [("|---|:-:|", True), ("---", False), ("| - a |", False), ("||", False)])
def test_the_rule_under_a_header(line: str, rule: bool) -> None:
    assert is_table_rule(line) is rule


def test_a_quoted_cell_may_hold_the_mark_between_cells() -> None:
    text = 'room,"price, net",beds\nAlpha,"1,200",2\nBeta,90,3'
    assert told(text) == ["room: Alpha; price, net: 1,200; beds: 2.", "room: Beta; price, net: 90; beds: 3."]


@pytest.mark.parametrize("piece", ["<tr><td>", "<td>", "a|b\n", "x,y,z\n", "q:\n- "])
def test_hostile_text_takes_few_steps(piece: str) -> None:
    assert grows_linearly(statements, piece * 3000)
