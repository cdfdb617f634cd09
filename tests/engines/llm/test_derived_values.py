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


def test_a_length_of_time_is_taken_whole() -> None:
    told = values("At 20:00 the day before the train at 14:20.")
    shown = [("24:00 - 20:00", "4:00"), ("4:00 + 14:20", "18:20")]
    assert told.follow("十八小时", "还有十八小时二十分钟。", shown)
    assert not told.follow("十八小时", "还有十八小时。", shown)


@pytest.mark.parametrize(
    ("text", "value", "said", "workings", "holds"),
    [
        ("手续费50元,五折。", "25元", "打五折后25元。", [("50 x 0.5", "25")], True),
        ("原价50元,八五折。", "42.5元", "折后42.5元。", [("50 x 0.85", "42.5")], True),
        ("原价50元,对折。", "25元", "折后25元。", [("50 x 0.5", "25")], True),
        ("だし600ml。1割ほど減らす。", "540ml", "だしは540mlです。", [("600 x 0.9", "540")], True),
        ("The fee of 50 EUR falls by 10 %.", "45 EUR", "It is 45 EUR.", [("50 x 0.9", "45")], True),
        ("手续费50元,五折。", "20元", "打四折后20元。", [("50 x 0.4", "20")], False),
        ("手续费50元,五折。", "50.5元", "共50.5元。", [("50 + 0.5", "50.5")], False),
        ("手续费50元,5割合。", "25元", "共25元。", [("50 x 0.5", "25")], False),
        ("手续费50元。", "25元", "打五折后25元。", [("50 x 0.5", "25")], False),  # no document says so
    ],
)
def test_a_discount_in_words_is_a_factor(
    text: str, value: str, said: str, workings: list[tuple[str, str]], holds: bool
) -> None:
    assert values(text).follow(value, said, workings) is holds


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("Serían algo menos de 340 g de harina.", True),
        ("Serían unos 340 g de harina.", True),
        ("Serían algo más de 340 g de harina.", False),
        ("Serían 340 g de harina.", False),
    ],
)
def test_what_is_worked_out_may_be_said_roughly(said: str, holds: bool) -> None:
    cake = values("Un vaso son 75 g de harina; use 3 vasos. Para 26 cm multiplique por 1,5.")
    assert cake.follow("340 g", said, [("3 x 1,5", "4,5"), ("4,5 x 75", "337,5")]) is holds
    assert not cake.follow("350 g", said.replace("340", "350"), [("3 x 1,5", "4,5"), ("4,5 x 75", "337,5")])


def test_the_days_of_a_month_are_known_where_one_is_named() -> None:
    rent = values("Le loyer est de 620 € par mois.", "J'ai donné congé pour le 9 juillet.")
    assert rent.follow("180 €", "Le loyer de juillet est de 180 €.", [("620 x 9 / 31", "180")])
    assert not rent.follow("200 €", "Le loyer est de 200 €.", [("620 x 10 / 31", "200")])
    other = values("Le loyer est de 620 € pour 9 personnes.")
    assert not other.follow("180 €", "Le loyer est de 180 €.", [("620 x 9 / 31", "180")])


STEW = values(
    "下ゆでする(15分)。5分いためる。10分煮る。火を止めて20分おく。9時10分に開店します。",
    "夕食の18時半に間に合わせたい。",
)


@pytest.mark.parametrize(
    ("value", "workings", "holds"),
    [
        ("17時40分", [("15 + 5 + 10 + 20", "50"), ("18:30 - 50分", "17:40")], True),
        ("17時40分", [("18:30 - 50分", "17:40")], False),  # 50 of what
        ("17時半", [("15 + 5 + 10 + 20", "60"), ("18:30 - 60分", "17:30")], False),  # miscounted
        ("17時", [("18.5 - 1.5", "17")], False),
        ("50分", [("15 + 5 + 10 + 20", "50")], True),
        ("18時45分", [("18:30 + 15分", "18:45")], True),
        ("9時間20分", [("18:30 - 9:10", "9:20")], True),
        ("9時間30分", [("18:30 - 9:10", "9:30")], False),
    ],
)
def test_times_are_worked_out_in_japanese(value: str, workings: list[tuple[str, str]], holds: bool) -> None:
    assert STEW.follow(value, f"それは{value}になります。", workings) is holds


def test_minutes_in_japanese_are_no_cents_either() -> None:
    assert not STEW.follow("0.3元", "それは0.3元です。", [("0.15 x 2", "0.3")])


@pytest.mark.parametrize(
    ("value", "said", "workings", "holds"),
    [
        ("第十三", "4月2日是第十三天。", [("31 - 20", "11"), ("11 + 2", "13")], True),
        ("第十三", "4月2日是第十三天。", [("3月21日至4月2日", "13天")], True),
        ("第十五", "4月2日是第十五天。", [("3月21日至4月2日", "15天")], False),
        ("第十三", "你是第十三名。", [("3月21日至4月2日", "13天")], False),
        ("第十三", "4月2日是第十三天。", [], False),
    ],
)
def test_the_number_of_a_day_is_worked_out(value: str, said: str, workings: list[tuple[str, str]], holds: bool) -> None:
    dishes = values("自签收次日起算。签收日期:2025-03-20。", "3月20日收到,4月2日漏水。")
    assert dishes.follow(value, said, workings) is holds


TERM = values(
    "Der Antrag muss spätestens 3 Monate nach dem Reisetag eingegangen sein. Ab 45 Minuten gibt es 50 %.",
    "Mein Zug sollte am 6. Mai um 17:42 Uhr ankommen und war um 19:05 Uhr da.",
)


@pytest.mark.parametrize(
    ("value", "workings", "holds"),
    [
        ("6. August", [("8 - 2", "6")], True),  # three months after 6 May: the calendar says so
        ("6. August", [("6/5 + 3", "6/8")], True),
        ("6. August", [("6/5 + 3", "6/7")], False),
        ("6. August", [], False),
        ("16. August", [("8 + 8", "16")], False),
        ("6. Juni", [("8 - 2", "6")], False),
        ("83 Minuten", [("2 x 60 - 42 + 5", "83")], True),
        ("83 Minuten", [("2 x 60 - 43 + 6", "83")], False),  # no time has these minutes
        ("84 Minuten", [("2 x 60 - 42 + 5", "84")], False),
    ],
)
def test_terms_and_times_of_the_readers_own_case(value: str, workings: list[tuple[str, str]], holds: bool) -> None:
    assert TERM.follow(value, f"Es sind {value}, also am {value}.", workings) is holds


@pytest.mark.parametrize(
    ("said", "holds"), [("8日分を合わせると", True), ("8日に引き落とされます", False), ("9日分を", False)]
)
def test_a_count_of_days_is_no_day_of_a_month(said: str, holds: bool) -> None:
    told = values("料金は30分ごとに150円です。", "火曜と木曜に、全部で8日間お願いします。")
    assert told.follow(said[:2], f"{said}、6,800円です。", []) is holds


@pytest.mark.parametrize(("value", "holds"), [("4月27日", True), ("4月30日", False)])
def test_a_term_in_japanese_is_a_length(value: str, holds: bool) -> None:
    told = values("払い戻しの期間は、ご乗車日の翌日から数えて30日以内です。", "乗ったのは3月28日です。")
    assert told.follow(value, f"期限は{value}までです。", [("3/29 + 29", value[:-1].replace("月", "/"))]) is holds


CLUB = values(
    "Er läuft zwölf Monate. Der letzte Tag ist der Tag vor dem Jahrestag. Kündigen können Sie bis vier Wochen davor.",
    "Ich habe am 15. März 2024 unterschrieben.",
)


@pytest.mark.parametrize(
    ("value", "workings", "holds"),
    [
        ("14. März 2025", [("15. März 2024 (question) + 1 Jahr - 1 Tag", "14.3.2025")], True),
        ("14. März 2025", [("14. März 2025", "15. März 2024 + 1 Jahr - 1 Tag")], True),  # either side first
        ("13. März 2025", [("15. März 2024 + 1 Jahr - 1 Tag", "13.3.2025")], False),  # one day is counted on, no term
        ("12. März 2025", [("15. März 2024 + 1 Jahr - 1 Tag", "12.3.2025")], False),
        ("14. März 2025", [("16. März 2024 + 1 Jahr - 2 Tage", "14.3.2025")], False),  # nobody says the 16th
        ("15. März 2025", [("15. März 2024 + 1 Jahr - 1 Tag", "14.3.2025")], False),  # only a date on the way
        ("15. April 2024", [("15. März 2024 + 1 Monat", "15. April 2024")], False),  # the day before is no month
        ("14.02.2025", [("15. März 2024 + 1 Jahr - 1 Tag", "14.3.2025"), ("14.3.2025 - 28 Tage", "14.2.2025")], True),
        ("14.02.2025", [("14.3.2025 - 28 Tage", "14.2.2025")], False),
    ],
)
def test_dates_in_several_steps(value: str, workings: list[tuple[str, str]], holds: bool) -> None:
    assert CLUB.follow(value, f"Das ist der {value}.", workings) is holds


@pytest.mark.parametrize(
    ("value", "workings", "holds"),
    [
        ("14. März 2025", [("15 - 1", "14"), ("2024 + 1", "2025")], True),
        ("14. März 2024", [("15 - 1", "14")], True),
        ("14. März 2025", [("15 - 1", "14")], False),  # nothing gives the year
        ("14. Mai 2024", [("15 - 1", "14")], False),  # nor May
        ("15. März 2024", [], False),  # nothing is worked out
        ("14. März 2024", [("15 - 2", "14")], False),
        ("14. März 2024", [("7 x 2", "14")], False),
        ("15. März 2030", [("2024 + 4", "2030")], False),
        ("14 Tage", [("15 - 1", "14")], False),
    ],
)
def test_a_date_part_by_part(value: str, workings: list[tuple[str, str]], holds: bool) -> None:
    assert CLUB.follow_twice(value, workings) is holds


@pytest.mark.parametrize(
    ("workings", "holds"),
    [
        ([("5万 x 24", "120万"), ("10 x 12", "120"), ("120万 / 120", "1万")], True),
        ([("5万 x 24", "120万"), ("120万 / 110", "1万")], False),
    ],
)
def test_numbers_in_myriads_are_worked_out(workings: list[tuple[str, str]], holds: bool) -> None:
    told = values("100万円を超え200万円以下の場合は10年の均等払いです。", "月5万円を24か月借ります。")
    assert told.follow("1万", "月々ちょうど1万円です。", workings) is holds


@pytest.mark.parametrize(
    ("question", "sum_", "holds"),
    [
        ("I parked from 10:20 to 16:50.", ("6.5 x 2", "13"), True),
        ("I parked from 10:20 to 16:50.", ("390 / 60", "6.5"), True),
        ("I parked from 10:20 to 16:50 the next day.", ("6.5 x 2", "13"), False),
        ("I parked at 10:20 and came back at 16:50 three days later.", ("6.5 x 2", "13"), False),
        ("Can I come at 9:00 or at 10:00?", ("2 + 1", "3"), False),
        ("My train left at 8:15. I parked from 11:00 to 16:00.", ("2.75 x 2", "5.5"), False),
    ],
)
def test_how_long_the_case_of_the_question_lasts(question: str, sum_: tuple[str, str], holds: bool) -> None:
    parking = values("Parking costs 2 EUR per hour.", question)
    assert parking.follow(sum_[1], f"That is {sum_[1]}.", [sum_]) is holds


@pytest.mark.parametrize(("text", "holds"), [("15日以内に申請します。", True), ("毎月15日に締め切ります。", False)])
def test_japanese_days_are_added_where_they_are_a_length(text: str, holds: bool) -> None:
    told = values(text, "7月28日に生まれました。")
    assert told.follow("8月12日", "期限は8月12日です。", [("7月28日 + 15日", "8月12日")]) is holds


@pytest.mark.parametrize(
    ("steps", "holds"), [([("3 + 10", "13"), ("13 - 1", "12")], True), ([("3 + 10", "12")], False)]
)
def test_days_counted_on_in_figures_must_add_up(steps: list[tuple[str, str]], holds: bool) -> None:
    told = values("A parcel is kept ten days; ask for longer the day before.", "It arrived on 3 June 2025.")
    assert told.follow("12 June 2025", "Ask by 12 June 2025.", steps) is holds


def test_a_sum_like_a_year_is_a_number() -> None:
    card = values("月卡380元，手续费180元。", "我买了3600元的年卡。")
    assert card.follow("1520", "3600减去1520和180，剩下1900元。", [("4 x 380", "1520")])
    assert not card.follow("1530", "3600减去1530和180，剩下1890元。", [("4 x 380", "1530")])


@pytest.mark.parametrize(("value", "holds"), [("26日", True), ("27日", False)])
def test_japanese_days_before_a_date_are_a_length(value: str, holds: bool) -> None:
    hall = values("キャンセル料は50%です。", "9月20日に予約し、8月25日にキャンセルします。")
    steps = [("31 - 25", "6"), ("6 + 20", value[:2])]
    assert hall.follow(value, f"利用日の{value}前にあたる。", steps) is holds


OLIVES = values("| Finca | Aceituna | Rendimiento |\n| --- | --- | --- |\n| El Romeral | 12.500 kg | 20 % |")
SYRUP = values("青梅1kgに対して氷砂糖800gを使います。", "梅が1.5kgあります。")
BUDGET = values("Livres : 18 000 €. Films : 18 000 €. Animations : 9 000 €.")
WHOLE = ("18000 + 18000 + 9000", "45000")


@pytest.mark.parametrize(
    ("known", "value", "said", "workings", "holds"),
    [
        (
            OLIVES,
            "2.500 kg",
            "El Romeral ha dado 2.500 kg de aceite en esta campaña y es más que antes.",
            [("20 % x 12500", "2500")],
            True,
        ),
        (
            OLIVES,
            "2.500 kg",
            "El Romeral ha dado 2.500 kg de aceite en esta campaña y es más que antes.",
            [("12.500 x 0,20", "2.500")],
            True,
        ),
        (
            OLIVES,
            "2.600 kg",
            "El Romeral ha dado 2.600 kg de aceite en esta campaña y es más que antes.",
            [("20 % x 12500", "2500")],
            False,
        ),
        (OLIVES, "2.500 kg", "El Romeral yielded 2.500 kg of oil.", [("20 % x 12500", "2500")], False),
        (SYRUP, "1.2kg", "氷砂糖は1.2kg用意してください。", [("800 x 1.5", "1200"), ("1.2kg", "1200g")], True),
        (SYRUP, "1.3kg", "氷砂糖は1.3kg用意してください。", [("800 x 1.5", "1200"), ("1.3kg", "1200g")], False),
        (SYRUP, "1.3kg", "氷砂糖は1.3kg用意してください。", [("800 x 1.5", "1300"), ("1.3kg", "1300g")], False),
        (BUDGET, "20 %", "Les animations en absorbent 20 %.", [WHOLE, ("20 % x 45000", "9000")], True),
        (BUDGET, "30 %", "Les animations en absorbent 30 %.", [WHOLE, ("30 % x 45000", "9000")], False),
        (BUDGET, "30 %", "Les animations en absorbent 30 %.", [WHOLE, ("30 % x 45000", "13500")], False),
    ],
)
def test_a_sum_may_be_in_other_figures_or_show_the_share(
    known: DerivedValues, value: str, said: str, workings: list[tuple[str, str]], holds: bool
) -> None:
    assert known.follow(value, said, workings) is holds
