"""Mismatches that the question or arithmetic explains weigh little; the others stay what they are."""

from __future__ import annotations

import pytest

from guardrail import Passage
from guardrail.engines.local.explained import without_explained
from guardrail.engines.local.passage_index import Library
from guardrail.text.facts import Mismatch, compare, extract

FEES = "A seat costs €23.50 a month. The base fee is €49.50. Invoices are sent on 3 June and due within 30 days."
HEATING = "From July the monthly payment for heating is raised to €143. In May it was €131. The flat has 9 radiators."


def left(claim: str, passage: str, question: str | None = None) -> list[Mismatch]:
    library = Library((Passage(id="1", text=passage),))
    read, said = [sentence.facts for sentence in library.sentences], extract(claim)
    return without_explained(compare(said, read), said, read, question)


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("That comes to €96.50.", "What do two seats cost?"),
        ("Pay by 3 July.", None),
        ("For 14 seats that is €378.50.", "We have 14 seats. What will it be?"),
        ("With 14 seats the fee is €378.50, so €4,542 for twelve months.", "We have 14 seats. What will the year be?"),
    ],
)
def test_what_follows_is_slight_and_contradicts_nothing(claim: str, question: str | None) -> None:
    assert all(m.weight <= 0.2 and not m.contradicts for m in left(claim, FEES, question))


@pytest.mark.parametrize("claim", ["The base fee and two seats are €97.30 a month.", "Invoices are due on 11 July."])
def test_what_does_not_follow_keeps_its_weight(claim: str) -> None:
    assert any(m.weight >= 0.3 for m in left(claim, FEES, "What do two seats cost?"))


def test_a_number_that_is_all_a_sentence_changes_must_not_follow_by_chance() -> None:
    (changed,) = left("From July the monthly payment for heating is raised to €134.", HEATING)  # 143 - 9
    assert changed.contradicts
    assert changed.weight >= 0.5


def test_what_decides_alone_stays() -> None:
    (time,) = left("It is open until 8 pm on Fridays.", "Thursday 10:00–20:00, Friday 10:00–19:00. Computers: 1 hour.")
    assert time.weight == 1.0


@pytest.mark.parametrize(
    ("claim", "passage", "question"),
    [
        (  # 24 = 3 x 8, and then 3 = 24 / 8
            "With 3 children you pay £24 for the family ticket.",
            "A family ticket costs £21 for two adults and up to four children. Single: adults £8, children £4.",
            "How much is a family ticket for us with 3 children?",
        ),
        (
            "The meeting starts at 6:30 pm in the Corn Hall.",
            "The meeting in the Corn Hall starts at 7 pm. Doors open 30 minutes before.",
            None,
        ),
    ],
)
def test_what_only_looks_worked_out_keeps_its_weight(claim: str, passage: str, question: str | None) -> None:
    assert any(m.weight >= 0.3 for m in left(claim, passage, question))


def test_names_of_the_question_are_slight() -> None:
    told = "Staff may work from other countries for up to 20 days a year."
    (alone,), (asked,) = (
        left("You may work from Lisbon.", told),
        left("You may work from Lisbon.", told, "May I from Lisbon?"),
    )
    assert (alone.weight > 0.2, asked.weight) == (True, 0.2)
