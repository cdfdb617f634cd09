"""decompose: answers that only decline, and those that claim something all the same."""

import pytest

from guardrail.check.decompose import decompose


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know.",
        "Unknown.",
        "The passages do not say who built the tower.",
        "Hello! I'm sorry, but I couldn't find any information about that. Let me know if you need more.",
        "Based on the provided context, I cannot answer this question.",
        "The provided documents do not contain information about the height.",
        "The passages discuss the tower but do not say who built it.",
        "Unfortunately, the answer is not provided in the passages.",
        "I'm afraid I can't give you a figure.",
        "I cannot give you an exact number from these documents.",
        "There is no information about this in the documents.",
        "根据现有资料无法回答。",
        "很抱歉，根据现有信息无法得知谁建造了这座塔。",
        "资料中没有提到他的出生日期。",
        "我不知道。",
        "Los documentos no mencionan quién construyó la torre.",
        "Je ne sais pas.",
        "Das weiß ich leider nicht.",
        "Die Dokumente enthalten keine Informationen über den Turm.",
        "Il contesto non contiene informazioni sulla torre.",
        "As informações fornecidas não indicam quem construiu a torre.",
        "De documenten vermelden niet wie de toren heeft gebouwd.",
        "Nie wiem.",
        "В документах нет информации о том, кто построил башню.",
        "提供された資料には記載がありません。",
        "제공된 문서에는 정보가 없습니다.",
    ],
)
def test_abstention(answer):
    """An answer that only declines is abstained, in many languages."""
    assert decompose(answer).abstained


@pytest.mark.parametrize(
    "answer",
    [
        "The company does not provide a warranty.",
        "The company has not provided information about its revenue.",
        "Scientists do not know why.",
        "I can't offer an estimate for roofs above 30 m².",
        "I cannot provide a number 7 bus.",
        "The cause could not be determined.",
        "The material does not contain lead.",
        "The document does not require a signature.",
        "The results did not show a difference.",
        "The tower is 330 m tall, but the passages do not say who built it.",
        "The articles only mention that the tower is red; they do not state its height.",
        "该公司没有提供相关信息。",
        "科学家无法确定原因。",
        "El documento no está firmado.",
        "Das Dokument wurde nicht unterschrieben.",
        "L'entreprise ne fournit pas de garantie.",
        "",
        "Hello!",
    ],
)
def test_negative_claims_are_no_abstention(answer):
    """A claim that something is not so, or an answer without any refusal, is not abstained."""
    found = decompose(answer)
    assert not found.abstained
    assert bool(found.checked) == (len(answer) > 6)


def test_declining_and_then_claiming_is_checked():
    """The declining sentence is skipped; what it is followed by is checked."""
    found = decompose("The passages do not mention the height. The tower was built in 1889.")
    assert not found.abstained
    assert [s.skipped for s in found.segments] == ["declines", None]


def test_refusal_with_new_numbers_is_checked():
    """A number that the question does not have is a claim."""
    assert decompose("The passages do not say why it fell in 1999.", question="Why did it fall?").checked


@pytest.mark.parametrize(
    "answer",
    [
        "We are unable to refund tickets after purchase.",
        "I cannot provide refunds without a receipt.",
        "There is no information desk at the dam.",
        "The documents do not say who designed it and Albert Einstein built the turbine hall.",
        "The documents do not say who designed it but NASA owns Larkmoor.",
        "The documents do not say who designed it; NASA owns Larkmoor.",
        "The documents do not say who designed it: NASA owns Larkmoor.",
        "I don't know the exact figure - the dam killed hundreds of workers.",
        "I don't know the exact figure — the dam killed hundreds of workers.",
        "NASA blew it up, I don't know when.",
        "I cannot answer because the dam collapsed last year.",
        "我不知道，爱因斯坦建造了大坝。",
    ],
)
def test_claims_are_no_refusals(answer):
    found = decompose(answer)
    assert not found.abstained
    assert found.checked


@pytest.mark.parametrize(
    "answer",
    [
        "I am unable to answer this question.",
        "I'm not able to provide information about the dam.",
        "I cannot provide an answer.",
        "I cannot help with that.",
        "I am unable to find it in the documents.",
        "There is no information about the tower.",
        "The documents do not say who built it and when it was opened.",
        "The documents do not mention the tower, its height, or its builder.",
        "While the documents mention the dam, they do not say who built it.",
        "Based on the passages provided, I cannot determine the height and the width.",
        "I don't know.",
        "Nie wiem.",
    ],
)
def test_refusals_stay_refusals(answer):
    assert decompose(answer).abstained
