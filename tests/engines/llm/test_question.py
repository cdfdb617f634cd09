"""What a question says of the reader's own case, quoted or in other words."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.question import Question

CAMERA = Question("I lost a camera, bought last year, at 23:10 on a Friday. Is it insured?")


@pytest.mark.parametrize(
    ("note", "quoted"),
    [
        ("from the question: bought last year", True),
        ("bought last year (question)", True),
        ("at 23:10 on a Friday, from the question", True),
        ("the night before Saturday = 23:10 on a Friday (question)", True),
        ("bought last year", False),  # it does not name the question
        ("bought this year (question)", False),
        ("the question", False),
        ("Is it insured (question)", False),  # asked, not said
    ],
)
def test_words_of_the_question_are_looked_up(note: str, quoted: bool) -> None:
    assert CAMERA.is_quoted([note]) is quoted


def test_chinese_words_of_the_question() -> None:
    asked = Question("我去年买的相机丢了。可以赔多少？")
    assert asked.is_quoted(["去年买的（问题）"])
    assert not asked.is_quoted(["今年买的（问题）"])


@pytest.mark.parametrize(
    ("claim", "links", "worked_out", "says"),
    [
        ("You bought the camera last year.", [], False, True),
        ("Cameras are insured in every country.", [], False, False),
        ("The device has an owner.", [("device", "camera (question)"), ("owner", "bought (question)")], False, True),
        ("The camera is worth 400 euros now.", [], True, True),
        ("The camera is worth 400 euros now.", [], False, False),
    ],
)
def test_a_claim_may_say_the_case_again(claim: str, links: list[tuple[str, str]], worked_out: bool, says: bool) -> None:
    assert CAMERA.says(claim, links, worked_out=worked_out) is says


def test_no_question_says_nothing() -> None:
    assert not Question("").is_quoted(["bought last year (question)"])
    assert not Question("").says("You bought it.", [], worked_out=True)


@pytest.mark.parametrize(
    ("value", "link", "told"),
    [
        ("11 años", ("El niño de 11 años", "dos niños de 3 y 11 (question)"), True),
        ("12 años", ("El niño de 12 años", "dos niños de 3 y 11 (question)"), False),
        ("11 años", ("El niño de 11 años", "tres niños de 3 y 11 (question)"), False),  # not its words
        ("11 años", ("El niño de 11 años", "dos niños de 3 y 11"), False),  # names no question
    ],
)
def test_a_link_to_the_question_tells_whose_figure_it_is(value: str, link: tuple[str, str], told: bool) -> None:
    assert Question("Vamos con dos niños de 3 y 11. ¿Cuánto pagamos?").has_of(value, [link]) is told


@pytest.mark.parametrize(
    ("value", "link"),
    [
        ("900 EUR", ("900 EUR", "fee 900, two adults (question)")),  # the figure is the judge's
        ("250 EUR", ("a fine of 250 EUR", "drive 250 km (question)")),  # another unit
        ("50 EUR", ("250 EUR", "drive 250 km (question)")),
    ],
)
def test_a_link_to_the_question_must_have_the_figure_there(value: str, link: tuple[str, str]) -> None:
    assert not Question("We have two adults and drive 250 km.").has_of(value, [link])
