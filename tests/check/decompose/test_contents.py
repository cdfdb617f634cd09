"""Answers that decline by speaking about the passages: what these lack, and what they hold instead."""

import pytest

from guardrail.check.decompose import decompose


@pytest.mark.parametrize(
    "answer",
    [
        "The ferry's fare is not mentioned anywhere in the texts.",
        "No price is given for the season ticket.",
        "The documents put no figure on the repair.",
        "There is nothing about the gardener in the three passages.",
        "These sources do not cover the second voyage.",
        "The article does not state how long the strike went on.",
        "The extracts give no date for the reopening. They deal with the roof, the windows and the organ only.",
        "No name is given for the architect. The passages only describe the garden and its fountains.",
        "The texts are silent on the fee. What you will find here is information on parking and bus lines.",
        "The passages state where the court meets, but not for how long.",
        "The passages mention the harbour and the lighthouse, but they give no height, so I cannot tell you how tall it is.",
        "The sources give no date, and all they say about the bridge is that it is old.",
        "The articles do not say who paid. They discuss the plans for the new wing. They also mention the car park.",
        "Sorry, the documents provide no phone number for the clinic. They describe the way there. Anything else?",
        "资料里没有提到门票价格，只说明了开放时间。",
        "文中没有给出具体日期。",
        "关于船长的年龄，文中没有说明。",
        "材料里只字未提维修费用，因此无法回答。",
        "文中没有给出馆长的姓名。这些资料只介绍了花园和喷泉。",
        "这几段资料没写票价，所以无法告诉您。",
        "文本中未提及他的职业，只讨论了诗歌。",
        "资料没有列出电话号码，仅提到地址。",
    ],
)
def test_absence_and_contents_are_abstained(answer):
    found = decompose(answer)
    assert found.abstained, [(s.text, s.skipped) for s in found.segments]
    assert not found.checked


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("The documents do not state the price. The phone costs 300 euros.", "The phone costs 300 euros."),
        ("No price is given for the phone. The phone is cheap.", "The phone is cheap."),
        ("Although the text does not mention it, the mill was built in 1900.", "the mill was built in 1900"),
        ("Although the text does not mention it, the mill is tall.", "the mill is tall"),
        ("The texts give no date. They state that the mill is 90 m high.", "90 m high"),
        ("The texts give no date. They state that the mill is old.", "the mill is old"),
        ("The texts give no date. All they say about the mill is that it burned down.", "burned down"),
        ("The texts give no date, and all they say is that Napoleon owned it.", "Napoleon"),
        ("The sources do not name the owner. They describe NASA's sabotage of the dam.", "NASA's sabotage"),
        ("The sources do not name the owner. They explain how NASA sabotaged the dam.", "NASA sabotaged"),
        ("The flood hit in May. The report does not mention any deaths.", "does not mention any deaths"),
        ("The flood hit in May. No reason is given for the delay.", "No reason is given"),
        ("The flood hit in May. The articles only describe the harbour.", "The flood hit in May."),
        ("No refund is given for late cancellations.", "No refund"),
        ("The articles provide no exemption for small firms.", "no exemption"),
        ("The documents have no legal force.", "no legal force"),
        ("The material contains no lead.", "no lead"),
        ("The passages only describe the harbour.", "harbour"),
        ("Premiums are not listed in the documents. They cover theft and fire.", "theft and fire"),
        ("The passages give no age. They mention the mayor, who died in prison.", "died in prison"),
        ("The passages do not give an age. The visitors died. They mention the mayor.", "visitors died"),
        ("The texts do not name the capital.\n- Lisbon", "Lisbon"),
        ("资料里没有提到门票价格，门票是三十元。", "三十元"),
        ("文中没有给出日期。大坝由爱因斯坦建造。", "爱因斯坦"),
        ("文中没有给出日期，只提到大坝由爱因斯坦设计。", "爱因斯坦"),
        ("文中没有给出日期，只说明了塔高九十米。", "九十米"),
        ("虽然资料里没有提到，但这座塔建于1900年。", "1900"),
        ("洪水发生在五月。这些资料只介绍了花园。", "洪水"),
        ("这些资料只介绍了花园和喷泉。", "花园"),
        ("文中没有给出原因，只提到大坝倒塌。", "倒塌"),
        ("该公司没有给出价格。", "价格"),
        ("票价没有公布，只介绍了花园。", "花园"),
        ("资料没有列出电话，只提到他被判死刑。", "死刑"),
        ("文中没有说明日期，但它在北京举行。", "北京"),
    ],
)
def test_claims_beside_absence_are_checked(answer, claim):
    found = decompose(answer)
    assert not found.abstained
    assert claim.lower() in " / ".join(s.text for s in found.checked).lower()


def test_numbers_and_names_of_the_question_are_no_claims():
    """What the question brought may be repeated in a refusal; what it did not bring is a claim."""
    answer = "No figure is given for 2019. The passages only explain how Larkmoor is funded."
    assert decompose(answer, question="How many people visited Larkmoor in 2019?").abstained
    assert not decompose(answer, question="How many people visited Larkmoor?").abstained
    assert not decompose(answer, question="How many people visited the dam in 2019?").abstained
