"""What a model may call no claim, or a statement about the documents."""

import pytest

from guardrail.engines.llm.statements import is_about_documents, is_talk


@pytest.mark.parametrize(
    "text",
    [
        "I'm very sorry for your loss.",
        "I am sorry about the delay.",
        "很抱歉。",
        "Talk to your doctor.",
        "It's best to ask Cobalt's support team or check the page on provisioning, if there is one.",
        "Please contact customer support.",
        "It would be best to ask the campsite directly before you book.",
        "Please ask your doctor, midwife or pharmacist before you take any.",
        "If anything is unclear, feel free to ask.",
        "If you can send me the second page of section 18, I'll gladly look again.",
        "建议您向清源客服咨询。",
        "请咨询医生。",
        "Could you tell me which model you have?",
        "2.",
    ],
)
def test_talk(text: str) -> None:
    assert is_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry for the delay of two weeks.",
        "I'm sorry that the warranty has expired.",
        "You should contact support within 14 days.",
        "It's best to ask the manager because refunds are not possible.",
        "Please contact Anna Bell.",
        "建议您在14天内向客服咨询。",
        "建议您向客服咨询，因为不能退款。",
        "I can confirm that the shop is open.",
        "You can cancel.",
        "Ask the hotel before you pay 40 euros.",
        "If anything is unclear, the deposit is kept.",
        "If you can send me the receipt, the shop refunds the price.",
    ],
)
def test_claims_are_no_talk(text: str) -> None:
    assert not is_talk(text)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("The manuals do not state the warranty.", True),
        ("Whether four votes were enough depends on the cost of the roof, which isn't given.", True),
        ("文档没有提到价格。", True),
        ("Breakfast is not included.", False),
        ("Who counted at the Vik meadows isn't given.", True),
        ("Who is not named in the will inherits nothing.", False),
        ("Where a price is not listed, the item costs nothing.", False),
        ("No refund is given.", False),
        ("The manual states the warranty.", False),
    ],
)
def test_about_the_documents(text: str, about: bool) -> None:
    assert is_about_documents(text) is about
