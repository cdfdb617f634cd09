"""Values that no document has: what follows from documents and question, what the judge shows, and what does not."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.derived_values import DerivedValues
from guardrail.engines.llm.quotes import Documents
from guardrail.text.passages import sentences
from guardrail.types import Passage


def values(text: str, question: str = "") -> DerivedValues:
    return DerivedValues(question, [Passage(text=text)], [f for s in sentences(text) for f in s.all_facts])


QUESTION = "I arrive at 17:30 and leave at 20:40, and I live 18 km away. What will it cost?"
MUSEUM = values(
    "The garage is 600 m away, 2.40 per started hour. The licence is 750 a month, from May 2025 through December. Of "
    "the buyback of 300 million kronor, 110 million had been spent. The state pays 60%, and the four valley towns, "
    "which split the rest evenly, share 14.6 million dollars. We spent 84 thousand of the 120.",
    QUESTION,
)


@pytest.mark.parametrize(
    ("value", "workings"),
    [
        ("four hours", [("17:30 to 20:40", "3 hours 10 minutes"), ("3 hours 10 minutes", "4 started hours")]),
        ("3 hours and 10 minutes", [("17:30 to 20:40", "3 hours 10 minutes")]),
        ("eight months", [("May to December", "8 months")]),
        ("190 million kronor", [("300 - 110", "190")]),
        ("$1.46 million", [("100 % - 60 %", "40 %"), ("40 % x 14.6", "5.84"), ("5.84 / 4", "1.46")]),
        ("120,000", [("120,000", "120 thousand")]),
        ("17:30", []),
    ],
)
def test_what_a_judge_shows_counts(value: str, workings: list[tuple[str, str]]) -> None:
    assert MUSEUM.follow(value, f"It is {value}.", workings)


@pytest.mark.parametrize(
    ("value", "workings"),
    [
        ("five hours", [("3 hours 10 minutes", "5 started hours")]),  # not the next whole one
        ("nine hours", [("9 hours", "9 started hours")]),  # nothing is rounded
        ("seven hours", [("6 hours 10 minutes", "7 started hours")]),  # of a length that nobody has
        ("nine months", [("May to December", "9 months")]),
        ("210 million kronor", [("300 - 110", "210")]),
        ("$1.56 million", [("40 % x 14.6", "5.84"), ("5.84 / 4", "1.46")]),
        ("130,000", [("130,000", "130 thousand")]),
        ("120,000,000", [("120,000", "120 thousand")]),
        ("18:30", []),
        ("190 million kronor", []),
        ("190 billion kronor", [("300 - 110", "190")]),  # no document counts in billions
        ("13 EUR", [("12.50 EUR", "13 EUR")]),  # only time is counted by what has begun
    ],
)
def test_what_it_shows_wrongly_does_not(value: str, workings: list[tuple[str, str]]) -> None:
    assert not MUSEUM.follow(value, f"It is {value}.", workings)


@pytest.mark.parametrize(
    ("value", "workings", "follows"),
    [
        ("36 km", [("18 x 2", "36")], True),
        ("72 km", [("18 x 2", "36"), ("36 x 2", "72")], True),
        ("36 km", [("18 x 3", "54")], False),
        ("1,200 km", [("600 x 2", "1200")], False),  # numbers of the documents are not the question's
        ("36 km", [], False),
    ],
)
def test_what_follows_from_the_question(value: str, workings: list[tuple[str, str]], follows: bool) -> None:
    assert MUSEUM.follow_from_question(value, workings) is follows


def test_nothing_is_rounded_up_where_no_started_unit_is_charged() -> None:
    shown = [("3 h 10 min", "4 hours")]
    assert not values("The train takes 3 h 10 min.").follow("4 hours", "The train takes 4 hours.", shown)
    assert values("2 euros per started hour; you stayed 3 h 10 min.").follow("4 hours", "It is 4 hours.", shown)


def test_a_scale_is_that_of_the_document() -> None:
    budget = values("We spent 84 thousand of the 120. The pool is 25 m long.")
    assert budget.follow("120,000", "It was 120,000.", [("120,000", "120 thousand")])
    assert not budget.follow("120,000,000", "It was 120,000,000.", [("120,000,000", "120 million")])
    assert not budget.follow("25,000,000", "It was 25,000,000.", [("25,000,000", "25 m")])


def test_minutes_in_chinese_are_no_cents() -> None:
    sums = [("0.3 x 3", "0.9")]
    assert values("每千瓦时30分。").follow("0.9元", "三度电0.9元。", sums)
    assert not values("步行30分钟。").follow("0.9元", "票价0.9元。", sums)


PLACE = Documents(
    [Passage(text="The lighthouse has 600 steps. The four towns split the rest evenly.")], question=QUESTION
)


@pytest.mark.parametrize(
    ("claim", "links", "asked"),
    [
        ("Your round trip is 36 km.", [("18 x 2", "36")], True),
        ("You live far away.", [("far away", "18 km away (question)")], True),
        ("The ticket is 37 euros.", [("18 x 2", "36")], False),
        ("The lighthouse is closed.", [("the lighthouse is closed", "the lighthouse has 600 steps")], False),
        ("Refunds are always paid.", [("refunds are always paid", "the question")], False),
        ("The employer pays a bonus of 36 EUR.", [("18 x 2", "36")], False),  # another unit
    ],
)
def test_what_the_question_says_in_other_words(claim: str, links: list[tuple[str, str]], asked: bool) -> None:
    assert PLACE.asked(claim, links, agreed=True) is asked


LOST = Documents(
    [Passage(text="The policy covers theft up to 400 euros, in full for two years. Loss is excluded.")],
    question="I lost a camera, bought last year, at 23:10 on a Friday. Is it insured?",
)


@pytest.mark.parametrize(
    ("claim", "note", "agreed", "part", "asked"),
    [
        ("You bought the camera last year.", "bought last year (question)", False, False, True),
        ("You bought the camera last year.", "", False, False, False),  # it is not quoted
        ("It is less than two years old.", "bought last year (question)", True, False, True),
        ("It is less than two years old.", "bought last year (question)", False, False, False),  # other words
        ("The insurer refunds every loss.", "camera (question)", True, False, False),  # a word is no quote
        ("Your camera is insured up to 400 euros.", "camera (question)", True, True, False),
        ("It was late at night.", "23:10 on a Friday (question)", True, True, True),
    ],
)
def test_the_question_is_quoted_for_the_readers_own_case(
    claim: str, note: str, agreed: bool, part: bool, asked: bool
) -> None:
    assert LOST.asked(claim, [], [note], agreed=agreed, part=part) is asked


def test_a_rule_of_rounding_is_for_its_own_unit() -> None:
    roads = values("The cost of 1212 euros is split by 11 and rounded up. The road is long.")
    assert not roads.follow("111 km", "The road is 111 km long.", [("1212 / 11", "110.18")])


def test_a_share_in_words_is_found_where_the_judge_says_so() -> None:
    claim = "Each pays exactly one quarter of the whole rest, as the towns agreed."
    assert PLACE.lacks(claim, None, [("one quarter", "four towns split the rest")]) is None


@pytest.mark.parametrize("claim", ["Dogs are allowed on the train.", "Dogs are not allowed on the train."])
def test_what_a_question_asks_it_does_not_say(claim: str) -> None:
    asked = Documents([Passage(text="The office opens at nine.")], question="Are dogs allowed on the train?")
    assert not asked.asked(claim, [], agreed=True)
    told = Documents(
        [Passage(text="It opens at nine.")], question="My dog is on the train. Are dogs allowed on the train?"
    )
    assert told.asked("Your dog is on the train.", [], agreed=True)


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("Die Kosten von 1212 Euro teilen wir durch 11 und runden auf volle Euro auf.", "111 €", True),
        ("The cost of 1212 is split by 11 and rounded down.", "110", True),
        ("The cost of 1212 is split by 11 and rounded down.", "111", False),
        ("The cost of 1212 is split by 11.", "111", False),
    ],
)
def test_a_document_may_say_how_it_rounds(text: str, value: str, holds: bool) -> None:
    assert values(text).follow(value, f"It is {value}.", [("1212 / 11", "110.18")]) is holds


def test_days_between_two_dates_of_the_sentence_are_counted() -> None:
    dates = values("存款日为2025年3月10日，支取日为2025年6月20日。")
    assert dates.follow("102天", "从2025年3月10日到2025年6月20日共102天。", [])
    assert not dates.follow("112天", "从2025年3月10日到2025年6月20日共112天。", [])
