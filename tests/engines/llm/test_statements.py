"""What a model may call no claim, or a statement about the documents."""

import pytest

from guardrail.engines.llm.statements import declines, is_about_documents, is_advice, is_label, is_talk


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
    "text",
    [
        "Please check with the child's doctor or a pharmacist before giving any.",
        "You may want to ask the People Operations team or your contract manager directly.",
        "If you can share the R300 manual, I'd be happy to take another look.",
        "建议您向行政部咨询。",
        "您可以查看机身铭牌，或联系客服确认。",
        "如果您能提供附件三，我可以继续帮您查看。",
        "Bitte wenden Sie sich an Ihre Personalabteilung, dort hilft man Ihnen sicher weiter.",
        "Am besten fragen Sie direkt bei der Stadt nach.",
    ],
)
def test_advice_where_to_ask(text: str) -> None:
    assert is_advice(text)


@pytest.mark.parametrize(
    "text",
    [
        "Please contact HR, who refund the fee.",
        "You should contact support within 14 days.",
        "It's best to ask the manager because refunds are not possible.",
        "If you can send me the receipt, the shop refunds the price.",
        "Ask your doctor to double the dose.",
        "Please contact support to cancel.",
        "建议您向客服咨询，因为不能退款。",
        "Fragen Sie den Arzt, weil die Dosis zu hoch ist.",
        "Take the tablets with food.",
    ],
)
def test_claims_are_no_advice(text: str) -> None:
    assert not is_advice(text)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("The manuals do not state the warranty.", True),
        ("Whether four votes were enough depends on the cost of the roof, which isn't given.", True),
        ("文档没有提到价格。", True),
        ("I can't give you that figure.", True),
        ("Oslo isn't listed in Annex B, so I can't give you a figure for it.", True),
        ("Was die Sauna kostet, steht in den Unterlagen leider nicht.", True),
        ("Dazu kann ich Ihnen leider keinen Wert nennen.", True),
        ("Für die Anmeldung sind keine Dokumente nötig.", False),
        ("Hunde sind nicht erlaubt.", False),
        ("不能提供退款。", False),
        ("Breakfast is not included.", False),
        ("Who counted at the Vik meadows isn't given.", True),
        ("Who is not named in the will inherits nothing.", False),
        ("Where a price is not listed, the item costs nothing.", False),
        ("No refund is given.", False),
        ("The manual states the warranty.", False),
        ("La ficha no indica quién activó la regla.", True),
        ("Los documentos no mencionan el precio.", True),
        ("El precio no figura en los documentos.", True),
        ("Su nombre no figura en la lista.", False),
        ("Le contrat n'indique pas la date.", True),
        ("Aucun des documents ne précise ce qui se passe.", True),
        ("Le prix ne figure pas dans les documents.", True),
        ("Le plat ne figure pas au menu.", False),
        ("Wer haftet, geht daraus nicht hervor.", True),
        ("Die Liste führt Hunde nicht auf.", True),
        ("Zum Einfrieren machen die Unterlagen keine Angabe.", True),
        ("Für die Anmeldung sind keine Angaben nötig.", False),
        ("料金については記載がありません。", True),
        ("料金は書かれていません。", True),
        ("返金はありません。", False),
    ],
)
def test_about_the_documents(text: str, about: bool) -> None:
    assert is_about_documents(text) is about


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("**Fishing.**", True),
        ("- __Water quality__", True),
        ("Your son should pack:", True),
        ("**Smoking is allowed in rooms.**", False),
        ("Guests must never wear seat belts:", False),
        ("**Not fishing.**", False),
        ("**2 fish**", False),
        ("**不得与酒精同服**", False),
        ("Fishing.", False),
    ],
)
def test_labels_are_a_word_or_two(written, label):
    assert is_label(written) is label


def test_only_who_declines_needs_no_quote():
    assert declines("The leaflet does not say it, so I cannot answer that.")
    assert not declines("The bridge collapsed only because the report was ignored.")
    assert not declines("员工无需信息登记，因此可以加班。")
