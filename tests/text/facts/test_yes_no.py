"""An opening yes or no against the sentence behind it."""

import pytest

from guardrail import Guard, Policy, Verdict
from guardrail.text.facts import extract, judge_yes_no, stated_in
from guardrail.text.restatement import statement_of


def belied(question, answer):
    return judge_yes_no(extract(answer), extract(question))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is it open on Sunday?", "Yes, the clinic is closed on Sundays."),
        ("Is the clinic open on Sunday?", "No, the clinic is open on Sundays."),
        ("Is parking free?", "Yes, parking is not free."),
        ("Do I need a referral?", "No, you need a referral."),
        ("Is smoking allowed in the hotel?", "Yes, smoking is forbidden in the hotel."),
        ("Are pets allowed?", "Yes, pets are forbidden."),
        ("Was the plan approved?", "Yes, the plan was rejected, as the minutes say."),
        ("Is breakfast included?", "Yes: breakfast is excluded."),
    ],
)
def test_a_sentence_that_says_the_opposite(question, answer):
    found = belied(question, answer)
    assert found is not None
    assert found.claim_value == answer[: answer.index("s" if answer[0] == "Y" else "o") + 1]
    assert found.contradicts


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is it open on Sunday?", "No, the clinic is closed on Sundays."),
        ("Is it open on Sunday?", "Yes, the clinic is open on Sundays."),
        ("Is it open on Sunday?", "Yes, the clinic never closes."),
        ("Is parking free?", "No, parking is free for two hours only."),
        ("Is parking free?", "No, it is not free."),
        ("Is parking free?", "No, if you stay all day; parking is free for two hours."),
        ("Is parking free or not?", "No, parking is free."),
        ("Isn't parking free?", "No, parking is free."),
        ("What is free?", "No, parking is free."),
        ("Do I need a referral?", "Yes, you need a referral."),
        ("Can I bring my dog?", "No, you cannot bring your dog."),
        ("Was the plan approved?", "No, the plan was rejected."),
        ("Was the plan approved?", "No, the plan was not rejected, and it was approved."),
        ("Is smoking forbidden?", "Yes, smoking is not allowed."),
        ("Is smoking forbidden?", "No, smoking is allowed."),
        ("Is parking free?", "Parking is not free."),
        ("Is parking free?", "No, parking is free if you stay at the hotel."),
        ("Can I cancel the booking?", "Yes, you can cancel the booking at no cost."),
        ("Can I return the item?", "Yes, you can return the item no later than 30 days after delivery."),
        ("Is the Eiffel Tower taller than Big Ben?", "No, Big Ben is taller than the Eiffel Tower."),
        ("Did Arsenal beat Chelsea?", "No, Chelsea beat Arsenal."),
        ("Can I return the item after 30 days?", "No, you can return the item within 30 days."),
        ("Is smoking allowed in the hotel?", "No, smoking is allowed outside the hotel."),
        ("Is the museum open on Mondays?", "No, the museum is open daily apart from Mondays."),
        ("Are refunds for used tickets possible?", "No, refunds for used tickets are hardly possible."),
        ("Is it open?", "No-smoking rooms are open."),
    ],
)
def test_sentences_that_fit_or_do_not_tell(question, answer):
    assert belied(question, answer) is None


def test_no_in_a_compound_is_read_as_what_it_is():
    """ "No-one" and "No. 5" open no answer."""
    for text in (
        "No-smoking rooms are on the third floor.",
        "No. 5 pump failed last night.",
        "Nobody came to the fair.",
    ):
        assert statement_of(text) == text
    assert statement_of("No, the pump is new.") == "the pump is new."
    assert statement_of("Yes, the pump is new.") == "Yes, the pump is new."
    assert statement_of("No. It broke.") == "No. It broke."  # too little is left to be judged by itself


def test_without_a_question_there_is_nothing_to_belie():
    assert judge_yes_no(extract("Yes, it is closed."), None) is None


def test_a_guard_says_what_is_wrong():
    passages = ["Opening hours: Monday to Friday 8:00-18:00. The clinic is closed on Sundays."]
    guard = Guard(policy=Policy.monitor())
    [wrong] = guard.check("Yes, the clinic is closed on Sundays.", passages, question="Is it open on Sunday?").findings
    assert wrong.verdict is Verdict.CONTRADICTED
    assert wrong.reason.startswith("The answer opens with “Yes”, but goes on:")
    [right] = guard.check("No, the clinic is closed on Sundays.", passages, question="Is it open on Sunday?").findings
    assert right.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("Is it open? I come on Sunday.", " I come on Sunday."),
        ("我预约了上午九点二十的检查，当天能不能自己开车回家？", "我预约了上午九点二十的检查"),
        ("我买了两张票，可以退吗？", "我买了两张票"),
        ("机器是去年11月买的，能自己处理吗？", "机器是去年11月买的"),
        ("机器是不是坏的，能修吗？", ""),
        ("机器是去年11月买的还是前年买的，现在能退吗？", ""),
        ("这幅画是谁买的，能报销吗？", ""),
        ("有人称阿拉斯加是1880年买的，这个准确吗？", ""),
        ("《南京条约》是1843年签的，内容包括割让香港岛吗？", ""),
        ("如果我六十岁，可不可以免费？", ""),
        ("年费是500元，对吗？", ""),
        ("我听说年费是500元，是不是真的？", ""),
        ("我的押金是500元，有没有这回事？", ""),
        ("能不能退票，并且全额退我500元？", ""),
        ("狗可以带进餐厅，是吗？", ""),
    ],
)
def test_what_a_question_asks_it_does_not_state(question, stated):
    assert stated_in(question) == stated
